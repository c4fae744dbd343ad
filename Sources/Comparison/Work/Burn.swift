import CInterlockHarness
import StressRunner

/// Keeps the processor busy for so many rounds, where it stands: nothing moves it out of a locked
/// stretch.
@inlinable
public func burn(_ rounds: Int) { burnInC(rounds) }

@usableFromInline @inline(never)
func burnInC(_ rounds: Int) { interlock_burn(UInt64(truncatingIfNeeded: rounds)) }

/// How long a round of `burn` takes here, so that a stretch of so many nanoseconds is the same work
/// for every strategy.
package struct BurnRate: Sendable, Hashable {
  /// Rounds a nanosecond.
  package var roundsPerNanosecond: Double

  /// A known rate.
  package init(roundsPerNanosecond: Double) { self.roundsPerNanosecond = roundsPerNanosecond }

  /// Measures it, in some 10 ms. The quickest of many tries counts: what makes one slower is other
  /// people's work.
  package static func measured() -> BurnRate {
    let rounds = 200_000
    burn(rounds)
    let quickest = (0..<20).map { _ in
      let start = Clock.now
      burn(rounds)
      return Clock.now - start
    }.min()
    return BurnRate(roundsPerNanosecond: Double(rounds) / Double(max(1, quickest ?? 1)))
  }

  /// How many rounds take so long.
  package func rounds(nanoseconds: Int) -> Int {
    nanoseconds == 0 ? 0 : max(1, Int((Double(nanoseconds) * roundsPerNanosecond).rounded()))
  }
}
