internal import Synchronization

/// How much time delays may take together.
///
/// Only whoever holds the turn to delay asks and spends, so that between the two nobody else does.
final class DelayBudget: Sendable {
  /// The most of all, in microseconds.
  static let most: UInt = 2_000_000
  /// What a run may spend however short it is, in microseconds: a tenth of a second would give one
  /// delay else.
  static let free: UInt = 80_000

  private let percent: UInt
  let startedAt = Platform.microseconds
  private let spentMicroseconds = Atomic<UInt>(0)
  private let delayCount = Atomic(0)
  /// In milliseconds of the coarse clock: before that not even the shortest delay is allowed.
  private let nothingBefore = Atomic<UInt>(0)

  init(percent: Int) { self.percent = UInt(percent) }

  /// What may have been spent after a run of so many microseconds.
  static func allowance(after elapsed: UInt, percent: UInt) -> UInt {
    min(most, max(free, elapsed / 100 * percent))
  }

  /// Whether there is enough left for a delay of so many microseconds.
  func allows(_ length: UInt, at now: UInt) -> Bool {
    // Relaxed: whoever took the turn has acquired what the one before it spent.
    let allows = spent + length <= Self.allowance(after: now &- startedAt, percent: percent)
    // Relaxed: a begin that does not see it asks in vain.
    if !allows { nothingBefore.store(nextChance(after: now), ordering: .relaxed) }
    return allows
  }

  /// Whether it is certain at such a moment, in milliseconds of the coarse clock, that no delay is
  /// allowed: then nobody has to ask.
  @inline(__always)
  func allowsNothing(at milliseconds: UInt) -> Bool {
    milliseconds < nothingBefore.load(ordering: .relaxed)
  }

  /// From when on the shortest delay has room. By a difference: the two clocks need not agree.
  private func nextChance(after now: UInt) -> UInt {
    let needed = spent + DelayDecision.lengths.lowerBound
    if needed <= Self.free { return 0 }
    guard needed <= Self.most, percent > 0 else { return .max }
    let elapsed = needed * 100 / percent
    return Platform.coarseMilliseconds + (elapsed - min(elapsed, now &- startedAt)) / 1000
  }

  /// Takes what a delay took, and no more than it was given: a machine that lets it wait longer for
  /// a processor would use the budget up with a few of them.
  func spend(_ length: UInt) {
    spentMicroseconds.wrappingAdd(length, ordering: .relaxed)
    delayCount.wrappingAdd(1, ordering: .relaxed)
  }

  /// Microseconds spent so far.
  var spent: UInt { spentMicroseconds.load(ordering: .relaxed) }
  /// Delays made so far.
  var delays: Int { delayCount.load(ordering: .relaxed) }
}
