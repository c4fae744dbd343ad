internal import Synchronization

/// Delays of sections that have nearly met nobody, for stress runs: without them a machine that is
/// busy elsewhere may run all calls of one thread before the first of the next, and there is no
/// near miss to go by.
///
/// They come at begins 16, 32, 64, … of the process, of those for which there is time left:
/// a long workload is delayed more often, and none by much.
/// Each is of the length of the scheduler's turns; giving up the processor alone is not enough.
final class Probe: Sendable {
  /// How long each lasts, in microseconds.
  private static let length: UInt = 5000
  private static let first: UInt = 16
  private static let last: UInt = first << 15

  private let begins = Atomic<UInt>(0)

  /// Counts a begin; how long it should be held open, `nil` for not at all.
  @inline(__always)
  func nextLength() -> UInt? {
    // Relaxed: a count, which orders nothing. Past the last, nobody writes to it any more.
    guard begins.load(ordering: .relaxed) < Self.last else { return nil }
    let count = begins.wrappingAdd(1, ordering: .relaxed).newValue
    return count >= Self.first && count.nonzeroBitCount == 1 ? Self.length : nil
  }
}
