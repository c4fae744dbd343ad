internal import Synchronization

/// Limits the total time of all delays.
///
/// Only the thread that holds the turn to delay reads and spends the budget.
package final class DelayBudget: Sendable {
  /// The limit for the whole run, in microseconds.
  package static let most: UInt = 2_000_000
  /// The time that every run may spend, in microseconds: without it, a run of a tenth of a second
  /// would have one delay.
  package static let free: UInt = 80_000

  private let percent: UInt
  private let start = Atomic(Platform.microseconds)
  private let spentMicroseconds = Atomic<UInt>(0)
  private let delayCount = Atomic(0)
  /// In milliseconds of the coarse clock: until then not even the shortest delay is allowed.
  private let nothingBefore = Atomic<UInt>(0)

  package init(percent: Int) { self.percent = UInt(percent) }

  /// When the run began, in microseconds.
  // Relaxed: a thread that misses a new beginning decides one delay by the old one.
  var startedAt: UInt { start.load(ordering: .relaxed) }

  /// Begins a run anew, which may spend as much as the first.
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

  /// Whether the budget has room for a delay of this many microseconds.
  package func allows(_ length: UInt, at now: UInt) -> Bool {
    // Relaxed: a thread that took the turn has acquired what the last holder spent.
    let allows = spent + length <= Self.allowance(after: now &- startedAt, percent: percent)
    // Relaxed: a begin that misses it computes the answer again.
    if !allows { nothingBefore.store(nextChance(after: now), ordering: .relaxed) }
    return allows
  }

  /// True if certainly no delay is allowed at this time, in milliseconds of the coarse clock:
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

  /// Spends the time of a delay, at most its planned length: on a loaded machine, waits for a
  /// processor would otherwise use up the budget.
  package func spend(_ length: UInt) {
    spentMicroseconds.wrappingAdd(length, ordering: .relaxed)
    delayCount.wrappingAdd(1, ordering: .relaxed)
  }

  /// Microseconds spent so far.
  package var spent: UInt { spentMicroseconds.load(ordering: .relaxed) }
  /// Delays made so far.
  package var delays: Int { delayCount.load(ordering: .relaxed) }
}
