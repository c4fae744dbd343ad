/// The options of `INTERLOCK_OPTIONS` that the watchdog and its prediction obey, besides `report`.
///
/// Declared here and not beside the watchdog, so that a process without the watchdog also reports a
/// wrong value.
package struct WatchdogOptions: EnvironmentOptions {
  /// The findings, besides a conflict, after which the process exits with `exit_code`.
  package enum FailOn: String, CaseIterable, Sendable {
    /// A deadlock or a race that did not occur in this run but can.
    case potential
  }

  /// The longest time without progress, in seconds; `nil` does not start the watchdog.
  package var hangLimit: Double?
  /// Whether prediction reports at exit.
  package var predicts = false
  /// After which findings, besides a conflict, the process exits with `exit_code`.
  package var failOn: FailOn?
  /// The longest hold of a lock that is not reported, in seconds; `nil` for none.
  package var holdLimit: Double?
  /// Whether the tasks that have not ended, and the objects that were left, are listed at exit and
  /// for SIGQUIT.
  package var leaks = false

  /// The defaults.
  package init() {}

  /// The values from the environment.
  package static var ofThisProcess: Self { OptionVariable.ofThisProcess[Self.self] }

  /// The options.
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

  /// Finds options that need prediction, which is off.
  package mutating func resolveContradictions() -> [String] {
    if predicts { return [] }
    let needPrediction = [failOn == nil ? nil : "fail_on", holdLimit == nil ? nil : "hold_limit"]
    return needPrediction.compactMap(\.self).map { "'\($0)' does nothing without 'predict=on'" }
  }
}
