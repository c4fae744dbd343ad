import CMarks
import CInterlockEvents
import CInterlockWatchdog
import Foundation
import Hangs
import Interlock
import Synchronization

/// Ends a hanging process and prints the reason on standard error, before a CI job's limit.
///
/// The watchdog works in any program, above all in test targets: with one line in a test or in
/// `main`, or without code by `INTERLOCK_OPTIONS="hang_limit=10"` in the environment of a test
/// target that links this product.
///
///     import InterlockWatchdog
///     HangWatchdog.start(limit: .seconds(10))
///
/// The watchdog runs on a thread of its own, not as a task, so it runs even if all threads of every
/// pool wait. It reports a certain deadlock at once, and a possible one when nothing has happened
/// for as long as the limit: no thread ran, waited for another object, or got work. A thread that
/// computes or polls is not a hang; neither is an idle program, unless it runs tests.
///
/// `kill -QUIT` with the number of the process prints the state of a process that runs: its threads
/// with what they wait for, and its suspended tasks with their `await` and the line that made each.
/// The process goes on; the signal may end a sleep early. A program's own handler of SIGQUIT stays.
///
/// A watchdog that is not started costs only its size. It explains hangs on Linux; elsewhere, and
/// under ThreadSanitizer, it only enforces the limit and shows the stacks.
public enum HangWatchdog {
  /// The exit code of the process after a hang.
  public static let exitCode: Int32 = 86

  /// The limit in nanoseconds; 0 while it is not started.
  private static let limit = Atomic<Int64>(0)

  /// Starts to watch this process until it ends. Another call changes the limit. Callable from any
  /// thread.
  ///
  /// - Parameter limit: The longest time without progress: 0.1 s to a day; other values are clamped
  ///   to this range.
  public static func start(limit: Duration = .seconds(10)) {
    let nanoseconds = min(max(limit / .nanoseconds(1), 1e8), 86_400e9)
    // Relaxed: no other memory depends on it.
    let before = Self.limit.exchange(Int64(nanoseconds), ordering: .relaxed)
    startMonitor()
    guard before == 0 else { return }
    SectionTracking.announce(
      "the watchdog is armed: a hang ends this process with code \(exitCode), a certain one at once"
        + " and another after \(nanoseconds / 1e9) s")
  }

  /// Starts the thread that watches, once.
  static func startMonitor() { _ = monitor }

  private static let monitor: HangMonitor? = {
    var taker = SnapshotTaker()
    taker.mayRest = !isTestProcess
    interlock_watchdog_follow_quit()
    return HangMonitor.start(
      taker, limit: { limitSeconds }, takesRequest: { interlock_watchdog_takes_quit() }
    ) { finding in
      if finding.isAsked { return HangReport.print(finding) }
      guard limitSeconds != nil, isHang(finding) else { return }
      HangReport.printAndExit(finding)
    }
  }()

  /// The shorter of the process's limit and that of all watched work; `nil` while nothing is
  /// watched.
  private static var limitSeconds: Double? {
    if WatchedWork.isPaused { return nil }
    // Relaxed: no other memory depends on it.
    let own = limit.load(ordering: .relaxed)
    return [own == 0 ? nil : Double(own) / 1e9, WatchedWork.shortestLimit].compactMap(\.self).min()
  }

  /// Whether a finding ends the process.
  private static func isHang(_ finding: HangMonitor.Report) -> Bool {
    if let diagnosis = finding.diagnosis, diagnosis.isCertain { return true }
    guard finding.isOverLimit else { return false }
    if isTestProcess { return true }
    let threads = finding.snapshot.threads
    if threads.contains(where: { $0.wait != nil }), !isIdle(threads) { return true }
    // A program that only listens to streams is idle, which is no hang.
    return finding.diagnosis != nil && !finding.snapshot.isOnlyListening
  }

  /// Whether a program has nothing to do: it waits for input, beside which its workers may wait for
  /// work. Watched work is never idle.
  private static func isIdle(_ threads: [WaitSnapshot.Thread]) -> Bool {
    WatchedWork.shortestLimit == nil
      && threads.contains { $0.wait == nil && $0.elsewhere == .input }
  }

  /// Whether this is a process that runs tests, as `swift test` starts it.
  static var isTestProcess: Bool {
    RunningTests.shared.hasXCTest
      || CommandLine.arguments.contains {
        $0.hasSuffix(".xctest") || $0.contains("--testing-library")
      }
      || (CommandLine.arguments.first?.contains("xctest") ?? false)
  }
}

/// Called before `main`, by `Sources/CInterlockWatchdog/start.c`.
@_cdecl("interlock_follow_tests")
func followTests() {
  OwnCode.register(OwnCode.interlockWatchdog)
  RunningTests.shared.follow()
}

/// Called before `main`, by `Sources/CInterlockWatchdog/start.c`.
@_cdecl("interlock_watchdog_start_from_environment")
func startFromEnvironment() {
  guard let seconds = WatchdogOptions.ofThisProcess.hangLimit else { return }
  HangWatchdog.start(limit: .seconds(seconds))
}
