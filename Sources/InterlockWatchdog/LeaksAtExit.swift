import CMarks
import Findings
import Foundation
import HangReports
import Hangs
import Interlock
import Synchronization

/// Lists the tasks of this process that have not ended, when it ends and for SIGQUIT, if the
/// environment has `INTERLOCK_OPTIONS="leaks=on"`. The exit code does not change.
enum LeaksAtExit {
  /// The most lines of a list.
  private static let mostLines = 40

  /// Whether tasks are followed for a list.
  private static let isOn = Atomic(false)

  /// Follows the tasks that are made from now on, and lists those that are left when `exit` is
  /// called or `main` returns.
  static func start() {
    guard WatchdogOptions.ofThisProcess.leaks else { return }
    if let reason = LiveTasks.follow(all: true) {
      SectionTracking.announce("tasks that do not end are not known: \(reason)")
      return
    }
    // Relaxed: the list is read from C's tables.
    isOn.store(true, ordering: .relaxed)
    // For SIGQUIT.
    HangWatchdog.startMonitor()
    SectionTracking.announce("tasks that have not ended are listed at exit")
    atexit { LeaksAtExit.print() }
  }

  /// A headline and a line for each place whose tasks have not ended; empty if tasks are not
  /// followed, or none is left.
  ///
  /// - Parameter atExit: Leaves out the tasks that run or are queued: they may be about to end.
  /// - Returns: The lines.
  static func lines(atExit: Bool) -> [String] {
    // Relaxed: as in `start`.
    guard isOn.load(ordering: .relaxed) else { return [] }
    let all = LiveTasks.tasks(in: nil).filter {
      !$0.isRunning && !$0.isThread && !$0.isOfTestLibrary
    }
    let tasks = atExit ? all.filter { $0.wait.state != .none } : all
    guard !tasks.isEmpty else { return [] }
    let texts = LiveTaskText.texts(of: tasks, verdict: ("has not ended", "have not ended"))
    var lines = [
      tasks.count == 1 ? "1 task has not ended:" : "\(tasks.count) tasks have not ended:"
    ]
    for text in texts.prefix(mostLines) {
      lines.append("  " + text.line)
      lines += text.details.map { "    " + $0 }
    }
    if texts.count > mostLines { lines.append("  … and \(texts.count - mostLines) more places") }
    if LiveTasks.lost > 0 { lines.append("  (\(LiveTasks.lost) tasks could not be followed)") }
    return lines
  }

  private static func print() {
    let lines = lines(atExit: true)
    guard let first = lines.first else { return }
    let text = (["interlock: at exit, \(first)"] + lines.dropFirst()).map { $0 + "\n" }.joined()
    text.utf8CString.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      interlock_write_error(start, bytes.count - 1)
    }
  }
}

extension LiveTask {
  /// Whether a test library has made the task, to run tests.
  fileprivate var isOfTestLibrary: Bool { maker.contains(where: \.isTestLibrarys) }
}

/// Called before `main`, by `Sources/CInterlockWatchdog/start.c`.
@_cdecl("interlock_leaks_start_from_environment")
func startLeaksFromEnvironment() { LeaksAtExit.start() }
