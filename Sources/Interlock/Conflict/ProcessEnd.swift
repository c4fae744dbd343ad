internal import CInterlock

/// C's door: a thread that had sections exits. Called from the destructor of a thread-specific key.
@_cdecl("interlock_thread_exited")
func threadExited(_ home: UnsafeMutableRawPointer) {
  let home = home.assumingMemoryBound(to: ThreadHome.self)
  MisuseDetection.threadExited(home)
  ThreadHomes.leave(home)
}

/// C's door: the process ends. Called once, from `exit`.
@_cdecl("interlock_process_ends")
func processEnds() {
  // A thread that is putting its conflict into words is about to end the process itself.
  ConflictLog.shared.waitIfStopping()
  SectionTracking.saveTraps()
  MisuseDetection.processEnds()
  let isExercised = reportExercise()
  if ConflictLog.shared.hasUnhandled {
    interlock_exit_from_handler(Int32(Settings.shared.exitCode))
  } else if !isExercised {
    interlock_exit_from_handler(exerciseExitCode)
  }
}

/// The exit code of a process that was to exercise every resource, and did not.
private let exerciseExitCode: Int32 = 1

/// Says what was exercised, where that was asked for; returns `false` where it is not enough.
private func reportExercise() -> Bool {
  guard Settings.shared.exercise else { return true }
  let report = SectionTracking.exerciseReport
  writeError(report.summary + "\n")
  return !Settings.shared.requiresContention || report.notTested.isEmpty
}
