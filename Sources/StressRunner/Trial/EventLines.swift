import Foundation

/// Splits the data of a child's event pipe into lines, examining each byte once.
///
/// A subject may write anything to the pipe, because its process owns it. The kept data is bounded;
/// more than any child has to report is a flood.
struct EventLines {
  /// The longest line of an event.
  static let longestLine = 16 << 20
  /// The most bytes kept of a line that does not begin like an event.
  private static let longestNone = 64 << 10
  /// The most invalid lines, such as the rest of a line that a subject has split.
  private static let mostRefused = 100
  /// The most events that may arrive at once, and in each second. A hanging child reports twice a
  /// second, and all other events occur at most a few hundred times.
  private static let mostAtOnce = 1000
  private static let mostPerSecond = 20.0
  /// The most bytes of events that are kept, except for events of which only the newest counts.
  private static let mostKept = 64 << 20

  private var pending: [UInt8] = []
  private var count = 0
  private var refused = 0
  private var kept = 0
  /// The number of bytes received.
  private(set) var bytes = 0
  /// True if a flood was received. Reading has stopped then.
  private(set) var isFlooded = false

  /// Adds data that was read `seconds` after the child's start, and returns the events that the
  /// data completes.
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

  /// Uses `memchr`: a loop in Swift takes a hundred times as long in a debug build.
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
      // Apply the same check to a whole line that arrives at once.
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
