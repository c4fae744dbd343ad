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
  if ConflictLog.shared.hasUnhandled {
    interlock_exit_from_handler(Int32(Settings.shared.exitCode))
  }
}
