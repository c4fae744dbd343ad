internal import Synchronization

/// Delays of sections without a near miss, for stress runs. A machine with other load may run all
/// calls of one thread before the first call of the next, so that there is no near miss.
///
/// Begins 16, 32, 64, … of the process are delayed, as far as the budget allows: a long workload
/// has more probes, but no workload has many. Each delay lasts a scheduler time slice, because
/// yielding the processor is not enough.
package final class Probe: Sendable {
  /// The length of a delay, in microseconds.
  private static let length: UInt = 5000
  private static let first: UInt = 16
  private static let last: UInt = first << 15

  private let begins = Atomic<UInt>(0)

  package init() {}

  /// Restarts the count of begins.
  package func restart() {
    // Relaxed: see `nextLength`.
    begins.store(0, ordering: .relaxed)
  }

  /// Counts a begin, and returns the time to hold it open; `nil` for no delay.
  @inline(__always)
  func nextLength() -> UInt? {
    // Relaxed: the count orders nothing. After the last probe no thread writes it.
    guard begins.load(ordering: .relaxed) < Self.last else { return nil }
    let count = begins.wrappingAdd(1, ordering: .relaxed).newValue
    return count >= Self.first && count.nonzeroBitCount == 1 ? Self.length : nil
  }
}
