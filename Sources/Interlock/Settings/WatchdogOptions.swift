/// The options of `INTERLOCK_OPTIONS` for the watchdog and its prediction, except `report`.
///
/// They are declared here and not in the watchdog's target, so that a process without the watchdog
/// also reports wrong values.
package struct WatchdogOptions: EnvironmentOptions {
  /// The findings, besides a conflict, after which the process exits with `exit_code`.
  package enum FailOn: String, CaseIterable, Sendable {
    /// A deadlock or race that did not occur in this run but can occur.
    case potential
  }

  /// The longest time without progress, in seconds; `nil` does not start the watchdog.
  package var hangLimit: Double?
  /// True if prediction reports at exit.
  package var predicts = false
  /// The findings, besides a conflict, after which the process exits with `exit_code`.
  package var failOn: FailOn?
  /// The longest hold of a lock that is not reported, in seconds; `nil` reports none.
  package var holdLimit: Double?
  /// True if unfinished tasks and left objects are listed at exit and on SIGQUIT.
  package var leaks = false

  /// Creates the default values.
  package init() {}

  /// The values from the environment.
  package static var ofThisProcess: Self { OptionVariable.ofThisProcess[Self.self] }

  /// The declared options.
  package static let options: [Option<Self>] = [
    Option(
      "hang_limit", .seconds(0.1...86_400), \.hangLimit,
      "Start the watchdog, and end the process after this many seconds without progress, {values}.",
      default: "not started"),
    Option(
      "predict", .onOrOff, \.predicts,
      "Report at exit the deadlocks and races that did not occur in this run but can."),
    Option(
      "fail_on", .choice(FailOn.allCases, placeholder: "what"), \.failOn,
      "Exit with `exit_code` after a potential finding.", default: "nothing"),
    Option(
      "hold_limit", .seconds(0.001...86_400), \.holdLimit,
      "Report a lock that is held for longer than this many seconds, {values}.",
      default: "never"),
    Option(
      "leaks", .onOrOff, \.leaks,
      "At exit and for SIGQUIT, list the tasks, queues, sources and locks that are left."),
  ]

  /// Finds options that need prediction while prediction is off.
  package mutating func resolveContradictions() -> [String] {
    if predicts { return [] }
    let needPrediction = [failOn == nil ? nil : "fail_on", holdLimit == nil ? nil : "hold_limit"]
    return needPrediction.compactMap(\.self).map { "'\($0)' does nothing without 'predict=on'" }
  }
}
