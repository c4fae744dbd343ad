#if os(Linux)
import CInterlock
import Foundation
import ProcessInspection

// A mark is the hard limit for the time that a real-time thread may run without a pause: hardly any
// program has one, and unlike a name in the environment it can be read without the process's leave.

extension Platform {
  /// Whoever does not die of SIGKILL within this time sits in a driver, and is not waited for.
  private static let killPatience = 0.5

  /// A mark for a child; `nil` where none can be had.
  static func makeMark() -> ChildMark? { ChildMark(below: interlock_real_time_limit(getpid())) }

  /// Marks this process, and with it all that it will start. Goes on without where that is refused.
  static func wear(_ mark: ChildMark) { _ = interlock_set_real_time_limit(mark.value) }

  /// So often is looked again where processes end by themselves while they are looked at.
  private static let mostFruitlessLooks = 20

  /// Kills every process that has the mark but the child itself, until none is found. Processes of
  /// another user, as a program with the set-user-ID bit makes one, are not seen, nor is one that
  /// has set the limit itself.
  static func killAll(with mark: ChildMark, startedBy child: pid_t) {
    let deadline = now + killPatience
    var fruitless = 0
    while fruitless < mostFruitlessLooks {
      var found: [Int32] = []
      var hasOneEnded = false
      // The newest first: what goes on as its own child, over and over, does not live for long.
      for process in numbers(in: "/proc").reversed() where process != Int(child) {
        errno = 0
        if let descriptor = open(pid_t(process), markedBy: mark) {
          killSession(of: pid_t(process))
          interlock_kill_opened_process(descriptor)
          found.append(descriptor)
        } else if errno == ESRCH, process > Int(child) {
          hasOneEnded = true
        }
      }
      if found.isEmpty {
        guard hasOneEnded else { return }
        fruitless += 1
      }
      // One that was just forking may have a child by now: hence another round, when these are
      // dead.
      for descriptor in found {
        while !isDead(descriptor, within: deadline - now), now < deadline {}
        close(descriptor)
      }
      if now >= deadline { return }
    }
  }

  /// Kills a process's group at once, so that none of it can fork meanwhile, where the group lies
  /// in another session than this process: a process of the trial has begun that session, and so
  /// the whole of it belongs to the trial.
  private static func killSession(of process: pid_t) {
    let session = getsid(process)
    let group = getpgid(process)
    guard session > 1, group > 1, session != getsid(0) else { return }
    kill(-group, SIGKILL)
  }

  /// A descriptor for a process, if it has the mark and is alive.
  private static func open(_ process: pid_t, markedBy mark: ChildMark) -> Int32? {
    guard mark.covers(interlock_real_time_limit(process)) else { return nil }
    let descriptor = interlock_open_process(process)
    guard descriptor >= 0 else { return nil }
    // Once more, now that the descriptor holds on to one process: between the two the number may
    // have gone to another. If it goes only now, the descriptor's own process is dead, and no other
    // is hit.
    guard mark.covers(interlock_real_time_limit(process)), !isDead(descriptor, within: 0) else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Whether the process has ended, be it reaped or not, or does so in time.
  private static func isDead(_ descriptor: Int32, within seconds: Double) -> Bool {
    var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waited, 1, Int32((max(0, seconds) * 1000).rounded(.up))) > 0
  }
}
#endif
