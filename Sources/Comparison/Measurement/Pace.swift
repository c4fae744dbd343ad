/// How often a caller reads the clock, and how often it makes a call.
package struct Pace: Sendable, Hashable {
  /// The share of a call's processor time that readings of the clock may take.
  package static let clockShare = 0.01
  /// At least one of this number of calls is timed.
  static let mostCallsEach = 512
  /// The fewest calls of each caller in a round of an open load. With fewer, whether one more call
  /// is due within the round decides on its figures.
  package static let fewestCalls = 5

  /// One of this number of calls is timed alone; the others are timed together.
  package var callsEach: Int
  /// Nanoseconds between the starts of a caller's calls, if the load is open; `nil` if each caller
  /// calls again at once.
  package var interval: Int?

  /// A known pace.
  package init(callsEach: Int = 1, interval: Int? = nil) {
    self.callsEach = callsEach
    self.interval = interval
  }

  /// Chooses `callsEach` so that readings of the clock take at most `clockShare` of a caller's
  /// time, as far as `mostCallsEach` allows.
  ///
  /// - Parameters:
  ///   - nanoseconds: The processor time of a call.
  ///   - clock: The time of two readings of the clock.
  package init(callOf nanoseconds: Double, clock: Double) {
    // The cost of a round without a completed call is not finite.
    let cost = nanoseconds.isFinite ? max(1, nanoseconds) : 1
    let calls = clock / (Self.clockShare * cost)
    callsEach = min(Self.mostCallsEach, max(1, Int(calls.rounded(.up))))
  }
}
