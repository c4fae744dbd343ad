internal import Synchronization

/// Limits the total time of all delays.
///
/// Only the thread that holds the turn to delay reads and spends the budget.
package final class DelayBudget: Sendable {
  /// The limit for the whole run, in microseconds.
  package static let most: UInt = 2_000_000
  /// The time that every run may spend, in microseconds. Without it, a run of a tenth of a second
  /// would have only one delay.
  package static let free: UInt = 80_000

  private let percent: UInt
  private let start = Atomic(Platform.microseconds)
  private let spentMicroseconds = Atomic<UInt>(0)
  private let delayCount = Atomic(0)
  /// The time of the coarse clock, in milliseconds, before which not even the shortest delay is
  /// allowed.
  private let nothingBefore = Atomic<UInt>(0)

  package init(percent: Int) { self.percent = UInt(percent) }

  /// The beginning of the run, in microseconds.
  // Relaxed: a thread that misses a restart decides one delay by the old time.
  var startedAt: UInt { start.load(ordering: .relaxed) }

  /// Starts a new run, with a full budget.
  package func restart() {
    // Relaxed: see `startedAt`.
    start.store(Platform.microseconds, ordering: .relaxed)
    spentMicroseconds.store(0, ordering: .relaxed)
    nothingBefore.store(0, ordering: .relaxed)
  }

  /// The allowance after a run of this many microseconds.
  static func allowance(after elapsed: UInt, percent: UInt) -> UInt {
    min(most, max(free, elapsed / 100 * percent))
  }

  /// True if the budget has room for a delay of this many microseconds.
  package func allows(_ length: UInt, at now: UInt) -> Bool {
    // Relaxed: a thread that holds the turn has acquired what the last holder spent.
    let allows = spent + length <= Self.allowance(after: now &- startedAt, percent: percent)
    // Relaxed: a begin that misses the store computes the answer again.
    if !allows { nothingBefore.store(nextChance(after: now), ordering: .relaxed) }
    return allows
  }

  /// True if certainly no delay is allowed at this time, in milliseconds of the coarse clock. Then
  /// `allows` need not be called.
  @inline(__always)
  func allowsNothing(at milliseconds: UInt) -> Bool {
    milliseconds < nothingBefore.load(ordering: .relaxed)
  }

  /// The time from which the shortest delay has room. Computed as a difference, because the two
  /// clocks differ.
  private func nextChance(after now: UInt) -> UInt {
    let needed = spent + DelayDecision.lengths.lowerBound
    if needed <= Self.free { return 0 }
    guard needed <= Self.most, percent > 0 else { return .max }
    let elapsed = needed * 100 / percent
    return Platform.coarseMilliseconds + (elapsed - min(elapsed, now &- startedAt)) / 1000
  }

  /// Spends the planned length of a delay. Its measured time would include waits for a processor,
  /// which would use up the budget on a loaded machine.
  package func spend(_ length: UInt) {
    spentMicroseconds.wrappingAdd(length, ordering: .relaxed)
    delayCount.wrappingAdd(1, ordering: .relaxed)
  }

  /// The microseconds spent so far.
  package var spent: UInt { spentMicroseconds.load(ordering: .relaxed) }
  /// The number of delays so far.
  package var delays: Int { delayCount.load(ordering: .relaxed) }
}
