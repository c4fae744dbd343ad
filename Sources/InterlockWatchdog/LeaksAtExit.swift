import CMarks
import Findings
import Foundation
import HangReports
import Hangs
import Interlock
import Synchronization

/// Lists the tasks of this process that have not ended, and the objects that were left, at exit
/// and for SIGQUIT, if the environment has `INTERLOCK_OPTIONS="leaks=on"`. The exit code does not
/// change.
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
    // Relaxed: the flag publishes no data; `lines` reads the C tables.
    isOn.store(true, ordering: .relaxed)
    // The monitor's thread handles SIGQUIT.
    HangWatchdog.startMonitor()
    SectionTracking.announce(
      "tasks that have not ended, and objects that were left, are listed at exit")
    atexit { LeaksAtExit.print() }
  }

  /// A headline and a line for each place whose tasks have not ended, then the same for the objects
  /// that were left; empty if tasks are not followed, or nothing is left.
  ///
  /// - Parameter atExit: Leaves out the tasks that run or are queued: they may be about to end.
  /// - Returns: The lines.
  static func lines(atExit: Bool) -> [String] {
    // Relaxed: as in `start`.
    guard isOn.load(ordering: .relaxed) else { return [] }
    let left = LiveTasks.tasks(in: nil).filter {
      !$0.isRunning && $0.kind != .thread && !$0.isOfTestLibrary
    }
    let all = left.filter { !$0.isObject }
    let tasks = atExit ? all.filter { $0.wait.state != .none } : all
    let objects = left.filter(\.isObject) + LiveTasks.leftLocks(in: nil)
    guard !tasks.isEmpty || !objects.isEmpty else { return [] }
    var lines: [String] = []
    if !tasks.isEmpty {
      lines.append(
        tasks.count == 1 ? "1 task has not ended:" : "\(tasks.count) tasks have not ended:")
      lines += list(tasks)
    }
    if !objects.isEmpty {
      let kinds = "of queues, sources, delayed blocks and locks"
      lines.append(
        objects.count == 1 ? "1 was left \(kinds):" : "\(objects.count) were left \(kinds):")
      lines += list(objects)
    }
    if LiveTasks.lost > 0 { lines.append("  (\(LiveTasks.lost) tasks could not be followed)") }
    return lines
  }

  private static func list(_ tasks: [LiveTask]) -> [String] {
    let texts = LiveTaskText.texts(of: tasks, verdict: ("has not ended", "have not ended"))
    var lines = texts.prefix(mostLines).flatMap { text in
      ["  " + text.line] + text.details.map { "    " + $0 }
    }
    if texts.count > mostLines { lines.append("  … and \(texts.count - mostLines) more places") }
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
