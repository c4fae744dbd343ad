import CInterlockWatchdog
package import Findings
import Foundation
import Interlock
package import Prediction
import Synchronization

/// The reports of this process that the option `report` names: its conflicts, its races in memory,
/// its predicted faults, and the hang that ends it.
///
/// A report is written when the process ends by `exit`, when a conflict traps, and when the
/// watchdog ends the process. A process that is killed, or crashes for another reason, writes none.
enum ProcessReport {
  /// A format, and the file that its text goes to.
  struct Target: Sendable, Equatable {
    var format: FindingFormat
    /// `nil` for standard output.
    var path: String?

    static func == (left: Self, right: Self) -> Bool {
      left.format.name == right.format.name && left.path == right.path
    }
  }

  private static let formats = FindingFormat.ofProcess
  private static let potential = Mutex<[PotentialFinding]>([])
  /// What tests have taken as their issues.
  private static let ofTests = Mutex<[Finding]>([])
  /// The paths are made absolute when the process starts: it may change its folder.
  private static let targets = Mutex<[Target]>([])
  private static let repository = Mutex<Repository?>(nil)
  /// How long a report may take before the process ends without it: the lock of an allocator may
  /// be what a hang is about. In seconds.
  private static let longestWrite: UInt32 = 20

  /// The values of the option: `sarif:out.sarif`, `github`.
  static let value = ValueFormat<Target>(
    "format:file",
    expected: formats.map { $0.destination == .file ? "\($0.name):FILE" : $0.name }
      .joined(separator: ", "),
    read: target)

  private static func target(_ text: String) -> Target? {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let format = formats.first(where: { $0.name == parts[0] }) else { return nil }
    switch (format.destination, parts.count) {
    case (.file, 2) where !parts[1].isEmpty: return Target(format: format, path: String(parts[1]))
    case (.output, 1): return Target(format: format)
    default: return nil
    }
  }

  /// Arranges that the reports are written when the process ends.
  static func start() {
    // Read before the program can change its folder.
    _ = ProcessBaseline.ofThisProcess
    let asked = OptionVariable.ofThisProcess[ReportOptions.self].reports
    guard !asked.isEmpty else { return }
    let folder = FileManager.default.currentDirectoryPath
    repository.withLock { $0 = Repository(around: folder) }
    targets.withLock { targets in
      targets = asked.map { target in
        guard let path = target.path?.replacing("%p", with: "\(getpid())"),
          !path.hasPrefix("/")
        else { return Target(format: target.format, path: target.path.map(expanded)) }
        return Target(format: target.format, path: "\(folder)/\(path)")
      }
    }
    // The first handler runs last: all findings are known by then.
    atexit { ProcessReport.write(hang: nil) }
    SectionTracking.beforeTrap { ProcessReport.write(hang: nil) }
    let names = asked.map { $0.path ?? $0.format.name }.joined(separator: ", ")
    SectionTracking.announce("findings are reported at the end of the process: \(names)")
  }

  private static func expanded(_ path: String) -> String {
    path.replacing("%p", with: "\(getpid())")
  }

  /// Keeps the predicted faults for the reports.
  static func note(_ record: PredictionRecord) {
    potential.withLock { $0 = record.findings }
  }

  /// Keeps a finding of a test for the reports.
  static func note(_ finding: Finding) { ofTests.withLock { $0.append(finding) } }

  /// Writes the reports with everything that was found until now.
  ///
  /// - Parameter hang: The hang that ends the process; `nil` for none.
  static func write(hang: Finding?) {
    let targets = targets.withLock { $0 }
    guard !targets.isEmpty, let repository = repository.withLock({ $0 }) else { return }
    if hang != nil {
      signal(SIGALRM, SIG_DFL)
      alarm(longestWrite)
    }
    let isRed = WatchdogOptions.ofThisProcess.failOn == .potential
    let baseline = ProcessBaseline.ofThisProcess
    var list = FindingList()
    func add(_ finding: Finding) {
      var finding = finding
      finding.knownBecause = baseline?.reason(for: finding)
      list.add(finding)
    }
    hang.map(add)
    SectionTracking.conflicts.forEach { add(Finding($0)) }
    MemoryRaceLog.entries.forEach { add(Finding($0.race)) }
    ofTests.withLock { $0 }.forEach(add)
    for finding in potential.withLock({ $0 }) {
      add(Finding(finding, level: isRed ? .error : .warning))
    }
    var context = FindingFormat.Context(
      version: interlockVersion, activity: "process", repository: repository)
    context.hasBaseline = baseline != nil
    for target in targets {
      context.path = target.path
      guard let text = target.format.text(list.all(), context) else { continue }
      if let path = target.path {
        guard let reason = replaceFile(path, by: text) else { continue }
        print("interlock: the report '\(path)' could not be written: \(reason)", to: STDERR_FILENO)
      } else {
        print(text, to: STDOUT_FILENO, terminator: "")
      }
    }
  }

  private static func print(_ text: String, to descriptor: Int32, terminator: String = "\n") {
    // Not by the C library's streams: another thread may hold their locks for ever.
    _ = writeWhole(Array((text + terminator).utf8), to: descriptor)
  }
}

/// Adds what a test has taken as its issue to the reports of this process.
///
/// - Returns: Why the baseline knows it; `nil` if it is new.
@discardableResult
package func noteForReports(_ finding: Finding) -> String? {
  ProcessReport.note(finding)
  return ProcessBaseline.ofThisProcess?.reason(for: finding)
}

/// Adds a potential finding of a test to the reports of this process, unless prediction at its exit
/// does.
package func noteForReports(_ finding: PotentialFinding, isError: Bool) {
  guard !WatchdogOptions.ofThisProcess.predicts else { return }
  ProcessReport.note(Finding(finding, level: isError ? .error : .warning))
}

/// Called before `main`, by `Sources/CInterlockWatchdog/start.c`.
@_cdecl("interlock_report_start_from_environment")
func startReportFromEnvironment() { ProcessReport.start() }
