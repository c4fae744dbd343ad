import CInterlockHarness
import StressRunner

/// Keeps the processor busy for a number of rounds; the compiler cannot move it out of a critical
/// section.
@inlinable
package func burn(_ rounds: Int) { burnInC(rounds) }

@usableFromInline @inline(never)
func burnInC(_ rounds: Int) { interlock_burn(UInt64(truncatingIfNeeded: rounds)) }

/// The speed of `burn` on this machine, so that a critical section of a given length is the same
/// work for every strategy.
package struct BurnRate: Sendable, Hashable {
  /// Rounds a nanosecond.
  package var roundsPerNanosecond: Double

  /// A known rate.
  package init(roundsPerNanosecond: Double) { self.roundsPerNanosecond = roundsPerNanosecond }

  /// Measures the rate in about 10 ms, as the fastest of many runs, because other load only slows a
  /// run down.
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

  /// How many rounds take this time.
  package func rounds(nanoseconds: Int) -> Int {
    nanoseconds == 0 ? 0 : max(1, Int((Double(nanoseconds) * roundsPerNanosecond).rounded()))
  }
}
