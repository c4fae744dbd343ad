import Findings
import Interlock

/// The options of `INTERLOCK_OPTIONS` that the watchdog and its prediction obey.
struct WatchdogOptions: EnvironmentOptions {
  /// The findings, besides a conflict, that make the exit code red.
  enum FailOn: String, CaseIterable {
    case potential
  }

  /// In seconds; `nil` leaves the watchdog unstarted.
  var hangLimit: Double?
  var predicts = false
  var failOn: FailOn?
  /// In seconds.
  var holdLimit: Double?
  /// The reports that are written when the process ends.
  var reports: [ProcessReport.Target] = []

  /// The values from the environment.
  static var ofThisProcess: Self { OptionVariable.ofThisProcess[Self.self] }

  static let options: [Option<Self>] = [
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
      "report", ProcessReport.value,
      "Write the conflicts, races in memory, predicted faults and the hang of this process when it"
        + " ends: `sarif:FILE`, `junit:FILE` or `gitlab:FILE` to a file, in whose path `%p` stands"
        + " for the process; `baseline:FILE` into a baseline, which keeps what it has; `github` or"
        + " `xcode` to standard output. May be given several times.",
      default: "none"
    ) { $1.reports.append($0) },
  ]

  mutating func resolveContradictions() -> [String] {
    if predicts { return [] }
    let needPrediction = [failOn == nil ? nil : "fail_on", holdLimit == nil ? nil : "hold_limit"]
    return needPrediction.compactMap(\.self).map { "'\($0)' does nothing without 'predict=on'" }
  }
}

/// Called before `main` by `Sources/CInterlockWatchdog/start.c`.
@_cdecl("interlock_watchdog_declare_options")
func declareOptions(in list: UnsafeMutableRawPointer) {
  declare(WatchdogOptions.self, in: list)
  declare(BaselineOptions.self, in: list)
}
