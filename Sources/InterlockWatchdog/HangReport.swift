import CMarks
import CInterlockHarness
import CInterlockWatchdog
import Findings
import Foundation
import Hangs
import HangReports
import Interlock
import ProcessInspection

/// The report of the watchdog: for a hang, after which the process ends, or for SIGQUIT, after
/// which it goes on.
struct HangReport {
  /// The most threads whose stacks are captured, groups shown, and frames shown for each group.
  private static let mostThreads: UInt32 = 2048
  private static let mostGroups = 24
  private static let mostFrames = 24
  /// The most tests that are named.
  private static let mostTests = 16

  /// The lines of the report.
  let lines: [String]

  /// Writes a report.
  ///
  /// - Parameters:
  ///   - finding: The process at that moment, with symbols, and why it hangs, if it does.
  ///   - groups: Its threads, those with equal stacks together.
  ///   - tests: The tests that have begun and not ended; if none are known, the stacks may show
  ///     one.
  ///   - blindness: Why this build sees no calls; `nil` if it does.
  init(
    _ finding: HangMonitor.Report, groups: [ThreadGroup], tests: [String], blindness: String?
  ) {
    let snapshot = finding.snapshot
    var lines: [String] = []
    let quiet = String(format: "nothing has happened for %.1f s", snapshot.quietSeconds)
    lines.append(
      finding.isAsked
        ? "interlock: this process, as SIGQUIT found it"
        : finding.diagnosis?.isCertain ?? false
          ? "interlock: this process is deadlocked" : "interlock: this process hangs: \(quiet)")
    let names = tests.isEmpty ? [Self.runningTest(in: groups)].compactMap { $0 } : tests
    lines += names.prefix(Self.mostTests).map { "  test: \(Printable.line($0))" }
    if names.count > Self.mostTests {
      lines.append("  … and \(names.count - Self.mostTests) more tests")
    }
    if names.isEmpty, let note = RunningTests.shared.note { lines.append("  (\(note))") }
    lines += WatchedWork.notes.map { "  " + Printable.line($0) }
    // A process that has only just become quiet may go on at any moment.
    if let diagnosis = finding.diagnosis, !finding.isAsked || snapshot.quietSeconds >= 1 {
      if finding.isAsked { lines.append("  \(quiet); if that is for ever:") }
      let explanation = Explanation(diagnosis, of: snapshot)
      lines += DiagnosisText(explanation, width: nil).lines.map { "  " + $0 }
    }
    if let blindness { lines.append("  (what the threads wait for is not known: \(blindness))") }
    let state = StateText(snapshot, mostLines: Self.mostGroups)
    lines += (state.tasks + (finding.isAsked ? state.threads : [])).map { "  " + $0 }
    if finding.isAsked { lines += LeaksAtExit.lines(atExit: false).map { "  " + $0 } }
    let total = groups.reduce(0) { $0 + $1.count }
    lines.append("  all \(total) threads:")
    for group in groups.prefix(Self.mostGroups) {
      lines.append("    \(group.count) × '\(group.name)', \(group.state)")
      lines += group.stack.prefix(Self.mostFrames).enumerated().map { "      #\($0) \($1)" }
      if group.stack.count > Self.mostFrames {
        lines.append("      … \(group.stack.count - Self.mostFrames) more frames")
      }
    }
    if groups.count > Self.mostGroups {
      lines.append("    … \(groups.count - Self.mostGroups) more groups of threads")
    }
    lines.append(
      finding.isAsked
        ? "interlock: the process goes on"
        : "interlock: ending the process with code \(HangWatchdog.exitCode)")
    self.lines = lines
  }

  /// The test that a thread runs: the outermost function of the user that a test library calls. A
  /// test that is suspended at an `await` is on no stack.
  private static func runningTest(in groups: [ThreadGroup]) -> String? {
    for stack in groups.map(\.stack) {
      guard let caller = stack.firstIndex(where: isTestLibrarys) else { continue }
      // The code of the compiler and of the libraries' macros in between has no file.
      if let test = stack[..<caller].last(where: { !$0.isSystem && $0.file != nil }) {
        return "\(test)"
      }
    }
    return nil
  }

  private static func isTestLibrarys(_ frame: StackFrame) -> Bool {
    if frame.isTestLibrarys { return true }
    // Swift Testing's macro makes this function around a test; its caller is a job of the runtime.
    return frame.function?.contains("4TestfMp_") ?? false
  }

  /// Inspects every thread, and writes the report to standard error.
  private static func write(
    _ finding: HangMonitor.Report, tests: [String]
  ) -> (report: HangReport, snapshot: WaitSnapshot, groups: [ThreadGroup]) {
    // Stacks first, then their symbols: reading debug information takes up to a second.
    var groups: [ThreadGroup] = []
    var finding = finding
    if let area = stackArea, interlock_stack_capture_install(area) {
      let capture = StackCapture(process: getpid(), area: area, capacity: mostThreads)
      let own = Platform.thisThread
      var stacks = capture.stacks(of: Platform.threads(of: getpid()).filter { $0.id != own })
      finding.snapshot = finding.snapshot.withStacks(stacks.byThread)
      stacks.origins.merge(capture.origins(of: finding.snapshot.addresses)) { first, _ in first }
      let frames = stacks.named(symbolicate: symbolicateWaits)
      groups = stacks.groups(named: frames)
      finding.snapshot = finding.snapshot.named(frames)
    }
    let report = HangReport(
      finding, groups: groups, tests: tests, blindness: InterposedCalls.blindness)
    let text = report.lines.joined(separator: "\n") + "\n"
    text.utf8CString.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      interlock_write_error(start, bytes.count - 1)
    }
    return (report, finding.snapshot, groups)
  }

  /// The area where threads write their stacks, the same for each report: a thread may write late.
  // `nonisolated(unsafe)`: only the threads that write reports use it, which are the monitor's
  // thread and a thread that is about to wait for itself.
  nonisolated(unsafe) private static let stackArea = interlock_watchdog_stack_area(mostThreads)?
    .assumingMemoryBound(to: interlock_stack_area.self)

  /// Writes the report of a process that goes on.
  static func print(_ finding: HangMonitor.Report) {
    _ = write(finding, tests: RunningTests.shared.names)
  }

  /// Writes the report, and ends the process at once: an exit handler might wait for a hanging
  /// thread.
  static func printAndExit(_ finding: HangMonitor.Report) -> Never {
    let tests = RunningTests.shared.names
    let (report, snapshot, groups) = write(finding, tests: tests)
    // Write the text first: a process that hangs may be unable to write the report files.
    var hang =
      finding.diagnosis.map { Finding(Explanation($0, of: snapshot)) }
      ?? Finding(.hang, message: report.lines.first ?? "", groups: groups)
    hang.details += tests.prefix(mostTests).map { "test: \($0)" }
    ProcessReport.write(hang: hang)
    _exit(HangWatchdog.exitCode)
  }
}
