/// How often a caller reads the clock, and how often it is to call.
package struct Pace: Sendable, Hashable {
  /// The part of a call's own processor time that readings of the clock may take.
  package static let clockShare = 0.01
  /// One of so many is timed at least.
  static let mostCallsEach = 512

  /// One of so many calls is timed; the others between are timed together.
  package var callsEach: Int
  /// From the beginning of a caller's call to that of its next, nanoseconds, where the load is
  /// open; `nil` where each caller calls again as soon as it can.
  package var interval: Int?

  /// A known pace.
  package init(callsEach: Int = 1, interval: Int? = nil) {
    self.callsEach = callsEach
    self.interval = interval
  }

  /// Times as many calls as its share of a call's cost allows.
  ///
  /// - Parameters:
  ///   - nanoseconds: What a call takes of a processor.
  ///   - clock: What two readings of the clock take.
  package init(callOf nanoseconds: Double, clock: Double) {
    // A round in which nobody came to a call has no cost.
    let cost = nanoseconds.isFinite ? max(1, nanoseconds) : 1
    let calls = clock / (Self.clockShare * cost)
    callsEach = min(Self.mostCallsEach, max(1, Int(calls.rounded(.up))))
  }
}
