import Interlock

/// The option of `INTERLOCK_OPTIONS` that names the reports of a process; its formats are rows of
/// `FindingFormat`, so it is declared beside them.
struct ReportOptions: EnvironmentOptions {
  /// The reports that are written when the process ends.
  var reports: [ReportTarget] = []

  static let options: [Option<Self>] = [
    Option(
      "report", ReportTarget.value,
      "Write the conflicts, races in memory, predicted faults and the hang of this process when it"
        + " ends: `sarif:FILE`, `junit:FILE` or `gitlab:FILE` to a file, in whose path `%p` stands"
        + " for the process; `baseline:FILE` into a baseline, which keeps what it has; `github` or"
        + " `xcode` to standard output. May be given several times.",
      default: "none"
    ) { $1.reports.append($0) }
  ]

  /// Keeps only the first of several reports to one file: each would replace the one before.
  mutating func resolveContradictions() -> [String] {
    var kept: [ReportTarget] = []
    var lines: [String] = []
    for report in reports where !kept.contains(report) {
      guard let other = kept.first(where: report.isInOneFile) else {
        kept.append(report)
        continue
      }
      lines.append(
        "'report=\(other.text)' and 'report=\(report.text)' name one file: only the first is"
          + " written")
    }
    reports = kept
    return lines
  }
}

/// Called before `main` by `Sources/CInterlockWatchdog/start.c`.
@_cdecl("interlock_watchdog_declare_options")
func declareOptions(in list: UnsafeMutableRawPointer) {
  declare(WatchdogOptions.self, in: list)
  declare(ReportOptions.self, in: list)
  declare(BaselineOptions.self, in: list)
}
