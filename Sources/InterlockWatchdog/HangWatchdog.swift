import CInterlock
import CInterlockEvents
import CInterlockWatchdog
import Foundation
import HangDetection
import Interlock
import Synchronization
import WaitForGraph

/// Ends a process that hangs, with the reason on standard error, before a CI job's limit throws the
/// log away.
///
/// For any program, and for test targets above all: one line in a test or in `main`, or none, with
/// `INTERLOCK_OPTIONS="hang_limit=10"` in the environment of a test target that links this product.
///
///     import InterlockWatchdog
///     HangWatchdog.start(limit: .seconds(10))
///
/// It is a thread of the system, not a task, so it runs when every pool is dry. A deadlock that is
/// certain is told at once, and what only looks like one when nothing has happened for the limit:
/// no thread ran, waited for something else, or was given work. A thread that computes, or looks
/// for something again and again, is no hang; nor is a program that has nothing to do, unless it is
/// a test.
///
/// Not started, it costs nothing but its size. On Linux; elsewhere, and under ThreadSanitizer, only
/// the limit is kept, and only the stacks are told.
public enum HangWatchdog {
  /// What the process ends with.
  public static let exitCode: Int32 = 86

  /// The limit in nanoseconds; 0 while it is not started.
  private static let limit = Atomic<Int64>(0)

  /// Starts to watch this process, for the rest of its life. Called again, it changes the limit.
  /// From any thread.
  ///
  /// - Parameter limit: For how long nothing may happen: from 0.1 s to a day; what lies outside is
  ///   taken for the nearest of these.
  public static func start(limit: Duration = .seconds(10)) {
    let nanoseconds = min(max(limit / .nanoseconds(1), 1e8), 86_400e9)
    // Both: the one that finds 0 starts the thread, and no other does.
    let before = Self.limit.exchange(Int64(nanoseconds), ordering: .acquiringAndReleasing)
    guard before == 0 else { return }
    var taker = SnapshotTaker()
    taker.mayRest = !isTestProcess
    _ = HangMonitor.start(taker, limit: { limitSeconds }) { finding in
      guard isHang(finding) else { return }
      HangReport.printAndExit(finding)
    }
    SectionTracking.announce(
      "the watchdog is armed: a hang ends this process with code \(exitCode), a certain one at once and"
        + " another after \(limitSeconds) s")
  }

  private static var limitSeconds: Double {
    // Relaxed: it stands for itself.
    Double(limit.load(ordering: .relaxed)) / 1e9
  }

  /// Whether the process ends for it.
  private static func isHang(_ finding: HangMonitor.Finding) -> Bool {
    if let diagnosis = finding.diagnosis, diagnosis.isCertain { return true }
    guard finding.isOverLimit else { return false }
    if isTestProcess || finding.snapshot.threads.contains(where: { $0.wait != nil }) { return true }
    // A program that only listens to streams has nothing to do, which is no hang.
    return finding.diagnosis != nil && !finding.snapshot.isOnlyListening
  }

  /// Whether this is a process that runs tests, as `swift test` starts it.
  private static var isTestProcess: Bool {
    RunningTests.shared.hasXCTest
      || CommandLine.arguments.contains {
        $0.hasSuffix(".xctest") || $0.contains("--testing-library")
      }
      || (CommandLine.arguments.first?.contains("xctest") ?? false)
  }
}

/// Called before `main`, by `Sources/CInterlockWatchdog/start.c`.
@_cdecl("interlock_follow_tests")
func followTests() { RunningTests.shared.follow() }

/// Called before `main`, by `Sources/CInterlockWatchdog/start.c`.
@_cdecl("interlock_watchdog_start_from_environment")
func startFromEnvironment() {
  guard let seconds = WatchdogOptions.ofThisProcess.hangLimit else { return }
  HangWatchdog.start(limit: .seconds(seconds))
}
