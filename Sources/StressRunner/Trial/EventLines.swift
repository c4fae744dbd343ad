import Foundation

/// What comes through a child's event pipe, line by line: each byte is looked at once.
///
/// The pipe is the child's own, and a subject may write anything to it. What is kept of that is
/// bounded, and what is more than a child ever has to say is a flood.
struct EventLines {
  /// A line that is longer is no event.
  static let longestLine = 16 << 20
  /// A line that does not begin as an event does is not kept for longer.
  private static let longestNone = 64 << 10
  /// So many lines may be none: the tail of one that a subject has broken, and the like.
  private static let mostRefused = 100
  /// So many events may come at once, and so many in each second that passes: a child that hangs
  /// tells of it twice a second, and of all else at most a few hundred times.
  private static let mostAtOnce = 1000
  private static let mostPerSecond = 20.0
  /// So many bytes of events are kept, beside those of which the newest counts.
  private static let mostKept = 64 << 20

  private var pending: [UInt8] = []
  private var count = 0
  private var refused = 0
  private var kept = 0
  /// All that has come, in bytes.
  private(set) var bytes = 0
  /// Whether it was more, or anything else, than a child has to say; nothing is read any more then.
  private(set) var isFlooded = false

  /// Takes what was read `seconds` after the child's start, and gives the events that it completes.
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
      let event = try? JSONDecoder().decode(ChildEvent.self, from: Data(pending))
    else {
      refused += 1
      // The same where the whole of it comes at once.
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
