import CInterlockWatchdog
package import Findings
import Foundation
import Interlock
package import Prediction
import Synchronization

/// The reports of this process, which the option `report` names or a CI service reads: its
/// conflicts, its races in memory, its predicted faults, and the hang that ends it.
///
/// A report is written when the process ends by `exit`, when a conflict traps, and when the
/// watchdog ends the process. A process that is killed, or crashes for another reason, writes none.
enum ProcessReport {
  private static let potential = Mutex<[PotentialFinding]>([])
  /// The findings of tests: their issues, and the faults predicted in them.
  private static let ofTests = Mutex<[Finding]>([])
  /// The results of the explored tests.
  private static let explored = Mutex(ExploredTests())
  /// The paths are made absolute when the process starts: it may change its folder.
  private static let targets = Mutex<[ReportTarget]>([])
  private static let repository = Mutex<Repository?>(nil)
  /// The most seconds that the reports of a hang may take before SIGALRM ends the process: the hang
  /// may hold the allocator's lock.
  private static let longestWrite: UInt32 = 20

  /// Arranges that the reports are written when the process ends.
  static func start() {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    var asked: [ReportTarget] = []
    // If the variable is not set, the program may set options before its first section: do not read
    // them yet.
    if !(variable("INTERLOCK_OPTIONS") ?? "").isEmpty {
      // Read before the program can change its folder.
      _ = ProcessBaseline.ofThisProcess
      asked = OptionVariable.ofThisProcess[ReportOptions.self].reports
    }
    let service = ServiceReports(environment: variable)
    guard !asked.isEmpty || !service.isEmpty else { return }
    if !service.isEmpty { ServiceReports.switchOffInChildren() }
    SharedReport.start()
    let folder = FileManager.default.currentDirectoryPath
    repository.withLock { $0 = Repository(around: folder) }
    targets.withLock {
      $0 = ReportTarget.plan(asked, service, in: folder, environment: variable)
    }
    // The first handler runs last: all findings are known by then.
    atexit { ProcessReport.write(hang: nil) }
    SectionTracking.beforeTrap { ProcessReport.write(hang: nil) }
    guard !asked.isEmpty else { return }
    let names = asked.map { $0.path ?? $0.format.name }.joined(separator: ", ")
    SectionTracking.announce("findings are reported at the end of the process: \(names)")
  }

  /// Keeps the predicted faults for the reports.
  static func note(_ record: PredictionRecord) {
    potential.withLock { $0 = record.findings }
  }

  /// Keeps a finding of a test for the reports.
  static func note(_ finding: Finding) { ofTests.withLock { $0.append(finding) } }

  /// Keeps the result of an explored test case for the reports.
  static func note(_ tested: ExploredTests.Case) { explored.withLock { $0.cases.append(tested) } }

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
    context.explored = explored.withLock { $0 }
    for target in targets where !target.isUnasked || !ServiceReports.isTaken {
      write(list.all(), to: target, context)
    }
  }

  private static func write(
    _ own: [Finding], to target: ReportTarget, _ context: FindingFormat.Context
  ) {
    var context = context
    context.path = target.path
    guard let path = target.path else {
      print(target.format.text(own, context) ?? "", to: STDOUT_FILENO, terminator: "")
      return
    }
    // Without findings, write no report that no option names, except a file in a process that runs
    // tests: the CI job may expect that file.
    if target.isUnasked, own.isEmpty, target.format.destination != .file || !isTest { return }
    let reason: String? =
      switch target.format.destination {
      case .environment: appendText(target.format.text(own, context) ?? "", to: path)
      case .file, .output:
        SharedReport.write(own, context.explored, to: target) { findings, explored in
          context.explored = explored
          return target.format.text(findings, context).flatMap { replaceFile(path, by: $0) }
        }
      }
    if let reason {
      print("interlock: the report '\(path)' could not be written: \(reason)", to: STDERR_FILENO)
    } else if target.isUnasked, target.format.destination == .file {
      SectionTracking.announce(ServiceReports.note(path))
    }
  }

  private static var isTest: Bool { HangWatchdog.isTestProcess }

  private static func print(_ text: String, to descriptor: Int32, terminator: String = "\n") {
    // Not through the C library's streams: another thread may hold their locks forever.
    _ = writeWhole(Array((text + terminator).utf8), to: descriptor)
  }
}

/// Adds a finding of a test to the reports of this process.
///
/// - Returns: Why the baseline knows the finding; `nil` if it is new.
@discardableResult
package func noteForReports(_ finding: Finding) -> String? {
  ProcessReport.note(finding)
  return ProcessBaseline.ofThisProcess?.reason(for: finding)
}

/// Adds the result of an explored test case to the reports of this process.
package func noteForReports(_ tested: ExploredTests.Case) { ProcessReport.note(tested) }

/// Adds a fault predicted in a test to the reports of this process, unless the process predicts
/// until its exit and reports the fault itself.
package func noteForReports(_ finding: PotentialFinding, isError: Bool) {
  guard !WatchdogOptions.ofThisProcess.predicts else { return }
  ProcessReport.note(Finding(finding, level: isError ? .error : .warning))
}

/// Called before `main`, by `Sources/CInterlockWatchdog/start.c`.
@_cdecl("interlock_report_start_from_environment")
func startReportFromEnvironment() { ProcessReport.start() }
