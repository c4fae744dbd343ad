internal import CMarks
internal import SectionTable

/// Entry point from C: a thread with a context exits. Called by the destructor of a thread-specific
/// key.
@_cdecl("interlock_thread_exited")
func threadExited(_ context: UnsafeMutableRawPointer) {
  let context = context.assumingMemoryBound(to: ThreadContext.self)
  MisuseDetection.threadExited(context)
  ThreadContexts.leave(context)
}

/// Entry point from C: the process ends with this status, 0 if unknown. Called once, from `exit`.
@_cdecl("interlock_process_ends")
func processEnds(_ status: Int32) {
  // A thread that is describing its conflict will end the process itself.
  ConflictLog.shared.waitIfStopping()
  SectionTracking.saveTraps()
  MisuseDetection.processEnds()
  let redCoverage = reportCoverage(endingWith: status)
  let exitCode = Settings.shared.exitCode
  let conflicts = ConflictLog.shared.linesAtEnd(exitCode: exitCode)
  let reasons = redCoverage.map { [$0] } ?? []
  writeError((reasons + conflicts).map { $0 + "\n" }.joined())
  if !conflicts.isEmpty {
    interlock_exit_from_handler(Int32(exitCode))
  } else if redCoverage != nil {
    interlock_exit_from_handler(coverageExitCode)
  }
}

/// The exit code of a process with an untested resource, under `require_contention=on`.
private let coverageExitCode: Int32 = 1

/// Reports the contention coverage if requested. Returns why it is not sufficient; `nil` if it is.
///
/// A process that fails anyway keeps its status, and so does a run without tests, for which Swift
/// Testing has a status of its own.
private func reportCoverage(endingWith status: Int32) -> String? {
  guard Settings.shared.coverage else { return nil }
  let report = SectionTracking.coverageReport
  if report.resources.isEmpty, TestPass.hasNoTests(CommandLine.arguments) { return nil }
  writeError(report.summary + "\n")
  guard Settings.shared.requiresContention, status == 0 else { return nil }
  let count = report.notTested.count
  if report.resources.isEmpty {
    return "interlock: the exit code is \(coverageExitCode) (require_contention=on): no section was"
      + " begun, so nothing was tested"
  }
  guard count > 0 else { return nil }
  return "interlock: the exit code is \(coverageExitCode) (require_contention=on): \(count)"
    + " resource\(count == 1 ? " was" : "s were") not tested"
}
