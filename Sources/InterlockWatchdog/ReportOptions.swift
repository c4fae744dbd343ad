import Findings
import Interlock

/// The option of `INTERLOCK_OPTIONS` that names the reports of a process; its formats are rows of
/// `FindingFormat`, so it is declared beside them.
struct ReportOptions: EnvironmentOptions {
  /// The reports that are written when the process ends.
  var reports: [ProcessReport.Target] = []

  static let options: [Option<Self>] = [
    Option(
      "report", ProcessReport.value,
      "Write the conflicts, races in memory, predicted faults and the hang of this process when it"
        + " ends: `sarif:FILE`, `junit:FILE` or `gitlab:FILE` to a file, in whose path `%p` stands"
        + " for the process; `baseline:FILE` into a baseline, which keeps what it has; `github` or"
        + " `xcode` to standard output. May be given several times.",
      default: "none"
    ) { $1.reports.append($0) }
  ]
}

/// Called before `main` by `Sources/CInterlockWatchdog/start.c`.
@_cdecl("interlock_watchdog_declare_options")
func declareOptions(in list: UnsafeMutableRawPointer) {
  declare(WatchdogOptions.self, in: list)
  declare(ReportOptions.self, in: list)
  declare(BaselineOptions.self, in: list)
}
