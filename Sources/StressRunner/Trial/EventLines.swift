import Foundation

/// Splits the data of a child's event pipe into lines, examining each byte once.
///
/// The child owns the pipe, so a subject may write anything to it. The data that is kept is
/// bounded; more than any child has to report is a flood.
struct EventLines {
  /// A longer line is not an event.
  static let longestLine = 16 << 20
  /// A line that does not begin like an event is kept up to this length.
  private static let longestNone = 64 << 10
  /// How many lines may be invalid, such as the rest of a line that a subject has split.
  private static let mostRefused = 100
  /// How many events may arrive at once, and in each second: a hanging child reports twice a
  /// second, and everything else at most a few hundred times.
  private static let mostAtOnce = 1000
  private static let mostPerSecond = 20.0
  /// How many bytes of events are kept, apart from those of which only the newest counts.
  private static let mostKept = 64 << 20

  private var pending: [UInt8] = []
  private var count = 0
  private var refused = 0
  private var kept = 0
  /// All bytes received.
  private(set) var bytes = 0
  /// Whether a flood was received; reading has stopped then.
  private(set) var isFlooded = false

  /// Adds data that was read `seconds` after the child's start, and returns the events that it
  /// completes.
  mutating func take(_ chunk: [UInt8], at seconds: Double) -> [ChildEvent] {
    bytes += chunk.count
    var events: [ChildEvent] = []
    chunk.withUnsafeBytes { chunk in
      var rest = chunk[...]
      while !isFlooded, let end = Self.lineEnd(in: rest) {
        pending.append(contentsOf: rest.prefix(end))
        rest = rest.dropFirst(end + 1)
        if let event = decode(at: seconds) { events.append(event) }
        pending = []
      }
      if !isFlooded { pending.append(contentsOf: rest) }
    }
    let isNone = pending.count > Self.longestNone && pending.first != UInt8(ascii: "{")
    if isNone || pending.count > Self.longestLine { isFlooded = true }
    if isFlooded { pending = [] }
    return events
  }

  /// By `memchr`: a loop in Swift takes a hundred times as long in a debug build.
  private static func lineEnd(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    guard let base = bytes.baseAddress, let end = memchr(base, 10, bytes.count) else { return nil }
    return UnsafeRawPointer(end) - base
  }

  private mutating func decode(at seconds: Double) -> ChildEvent? {
    guard pending.first == UInt8(ascii: "{"),
      let event = ChildEvent(line: pending)
    else {
      refused += 1
      // The same check for a whole line that arrives at once.
      let isLong = pending.count > Self.longestNone && pending.first != UInt8(ascii: "{")
      if isLong || refused > Self.mostRefused { isFlooded = true }
      return nil
    }
    count += 1
    switch event {
    case .hang, .prediction: break
    default: kept += pending.count
    }
    if Double(count) > Double(Self.mostAtOnce) + seconds * Self.mostPerSecond
      || kept > Self.mostKept
    {
      isFlooded = true
    }
    return event
  }
}
