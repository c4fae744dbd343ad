internal import Synchronization

/// Delays of sections without a near miss, for stress runs: a machine that is busy elsewhere may
/// run all calls of one thread before the first of the next, and then there is no near miss.
///
/// Begins 16, 32, 64, … of the process are delayed, as far as the budget allows: a long workload
/// has more probes, and no workload has many. Each has the length of a scheduler time slice;
/// yielding the processor alone is not enough.
package final class Probe: Sendable {
  /// How long each lasts, in microseconds.
  private static let length: UInt = 5000
  private static let first: UInt = 16
  private static let last: UInt = first << 15

  private let begins = Atomic<UInt>(0)

  package init() {}

  /// Counts begins from 0 again.
  package func restart() {
    // Relaxed: see `nextLength`.
    begins.store(0, ordering: .relaxed)
  }

  /// Counts a begin; returns how long to hold it open, `nil` for not at all.
  @inline(__always)
  func nextLength() -> UInt? {
    // Relaxed: a count, which orders nothing. After the last probe no thread writes to it.
    guard begins.load(ordering: .relaxed) < Self.last else { return nil }
    let count = begins.wrappingAdd(1, ordering: .relaxed).newValue
    return count >= Self.first && count.nonzeroBitCount == 1 ? Self.length : nil
  }
}
