#if os(Linux)
import CInterlockHarness
import Foundation
import ProcessInspection

// A mark is the hard limit on how long a real-time thread may run without blocking. Hardly any
// program sets that limit, and unlike an environment variable it can be read without the process's
// cooperation.

extension Platform {
  /// The seconds to wait for a process to die of SIGKILL. A process that takes longer is blocked in
  /// a driver.
  private static let killPatience = 0.5

  /// Creates a mark for a child; `nil` if this process has no room for one.
  static func makeMark() -> ChildMark? { ChildMark(below: interlock_real_time_limit(getpid())) }

  /// Marks this process and every process that it starts later. Does nothing if the system refuses.
  static func wear(_ mark: ChildMark) { _ = interlock_set_real_time_limit(mark.value) }

  /// The most passes that may find only processes that end by themselves during the pass.
  private static let mostFruitlessLooks = 20

  /// Kills every process that has the mark except the child itself, until none is found. Reaps
  /// processes that the child has started as children of this process (`CLONE_PARENT`).
  ///
  /// It misses processes of another user (started through a set-user-ID program), and processes
  /// that have set the limit themselves.
  static func killAll(with mark: ChildMark, startedBy child: pid_t) {
    let deadline = now + killPatience
    var fruitless = 0
    while fruitless < mostFruitlessLooks {
      var found: [(process: pid_t, descriptor: Int32)] = []
      var hasOneEnded = false
      // Newest first: a process that keeps replacing itself by a new child does not live long.
      for process in numbers(in: "/proc").reversed() where process != Int(child) {
        errno = 0
        if let descriptor = open(pid_t(process), markedBy: mark) {
          killSession(of: pid_t(process))
          interlock_kill_opened_process(descriptor)
          found.append((pid_t(process), descriptor))
        } else if errno == ESRCH, process > Int(child) {
          hasOneEnded = true
        }
      }
      if found.isEmpty {
        guard hasOneEnded else { return }
        fruitless += 1
      }
      // A process that was forking during the pass may have left a child. Make another pass when
      // all found processes are dead.
      for (process, descriptor) in found {
        while !isDead(descriptor, within: deadline - now), now < deadline {}
        close(descriptor)
        reap(process)
      }
      if now >= deadline { return }
    }
  }

  /// Kills the whole process group at once, so that no member can fork meanwhile, if the group is
  /// in another session than this process. A process of the trial has created that session, so all
  /// of it belongs to the trial.
  private static func killSession(of process: pid_t) {
    let session = getsid(process)
    let group = getpgid(process)
    guard session > 1, group > 1, session != getsid(0) else { return }
    kill(-group, SIGKILL)
  }

  /// Opens a descriptor for a process; `nil` if the process has no mark or is dead.
  private static func open(_ process: pid_t, markedBy mark: ChildMark) -> Int32? {
    guard mark.covers(interlock_real_time_limit(process)) else { return nil }
    let descriptor = interlock_open_process(process)
    guard descriptor >= 0 else { return nil }
    // Check again, now that the descriptor is bound to one process: the number may have been reused
    // before. If it is reused later, the descriptor's own process is dead, and no other process is
    // hit.
    guard mark.covers(interlock_real_time_limit(process)) else {
      close(descriptor)
      return nil
    }
    if isDead(descriptor, within: 0) {
      close(descriptor)
      reap(process)
      return nil
    }
    return descriptor
  }

  /// Reaps a process of a trial if it has ended and this process is its parent.
  private static func reap(_ process: pid_t) {
    var status: Int32 = 0
    waitpid(process, &status, WNOHANG | Int32(__WALL))
  }

  /// True if the process has ended, reaped or not, or ends within `seconds`.
  private static func isDead(_ descriptor: Int32, within seconds: Double) -> Bool {
    var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waited, 1, Int32((max(0, seconds) * 1000).rounded(.up))) > 0
  }
}
#endif
