import CMarks
import CInterlockAnalysis
import CInterlockEvents
import CInterlockHarness
import Foundation
import Interlock
import ProcessInspection
import Synchronization

/// Watches this process from a separate thread, and reports when no thread makes progress.
///
/// The monitor reads the number of events and the wait table 25 times a second. It inspects the
/// threads themselves, which is expensive, only if that number does not change, or if threads have
/// waited for locks or queues for a while. A finding is certain only if it was certain in two
/// consecutive snapshots and no thread ran between them.
package final class HangMonitor: Sendable {
  /// A report of a monitor.
  package struct Report: Sendable {
    /// The state of the process.
    package var snapshot: WaitSnapshot
    /// Why the process hangs; `nil` if no thread is stuck, although nothing has happened for as
    /// long as the limit.
    package var diagnosis: Diagnosis?
    /// True if nothing has happened for as long as the limit.
    package var isOverLimit = false
    /// True if the report was requested: the process may be healthy.
    package var isAsked = false
  }

  /// The time between two polls.
  private static let pollNanoseconds = 40_000_000
  /// The time to the poll that may confirm a certain cause.
  private static let confirmNanoseconds = 10_000_000

  /// The most seconds for which a call that waits for its own thread is delayed while another such
  /// call is reported.
  private static let longestHold = 5.0

  private let taker: SnapshotTaker
  private let report: @Sendable (Report) -> Void
  private let limit: @Sendable () -> Double?
  private let takesRequest: @Sendable () -> Bool
  // `Mutex` cannot be used: ThreadSanitizer reports a contended one as a race.
  private let selfWaits = NSLock()
  /// Held while a report is made: the memory for the stacks of threads is shared by all reports.
  private let reporting = NSLock()
  // Accessed only under `selfWaits`.
  nonisolated(unsafe) private var hasReportedSelfWait = false
  /// The time, in milliseconds of `Platform.now`, until which a call that waits for its own thread
  /// is about to end the process. The call's thread may sleep while it is reported.
  private let trapsBefore = Atomic<UInt64>(0)
  /// The number of the monitor's own thread; 0 until it runs.
  private let thread = Atomic<Int>(0)

  private init(
    _ taker: SnapshotTaker, limit: @escaping @Sendable () -> Double?,
    takesRequest: @escaping @Sendable () -> Bool, report: @escaping @Sendable (Report) -> Void
  ) {
    self.taker = taker
    self.takesRequest = takesRequest
    self.limit = limit
    self.report = report
  }

  /// Starts to watch this process until it ends.
  ///
  /// - Parameters:
  ///   - taker: Takes the snapshots. It has the threads and descriptors to ignore.
  ///   - limit: Returns the seconds after which a process without activity is reported even
  ///     without a certain cause; `nil` for no limit. Called at each poll.
  ///   - takesRequest: Returns true if a report is requested regardless of the process's state,
  ///     and clears the request. Called at each poll.
  ///   - report: Receives a report. Called on the monitor's thread; for a call that waits for its
  ///     own thread, on that thread, before libdispatch ends the process. The closure must not wait
  ///     for a thread of this process.
  /// - Returns: The monitor; `nil` if this build cannot follow calls and there is no limit, or if
  ///   no thread can be created.
  package static func start(
    _ taker: SnapshotTaker, limit: (@Sendable () -> Double?)? = nil,
    takesRequest: @escaping @Sendable () -> Bool = { false },
    report: @escaping @Sendable (Report) -> Void
  ) -> HangMonitor? {
    guard interlock_waits_start() || limit != nil else { return nil }
    let monitor = HangMonitor(
      taker, limit: limit ?? { nil }, takesRequest: takesRequest, report: report)
    guard DedicatedThread.startDetached({ monitor.run() }) else { return nil }
    SelfWaits.report(to: monitor)
    return monitor
  }

  /// The system thread id of the monitor's thread. Waits until that thread runs.
  package var threadNumber: Int {
    while true {
      // Acquire: pairs with the release in `run`.
      let number = thread.load(ordering: .acquiring)
      if number != 0 { return number }
      sched_yield()
    }
  }

  /// Reports the first call that waits for its own thread, on that thread.
  ///
  /// Later calls are not reported. They wait here until the first report is written, since they
  /// could end the process before. If the first call ends the process, they wait for that end: a
  /// thousand threads that trap at once keep the toolchain's backtracer busy for half a minute.
  func reportSelfWait(_ wait: WaitSnapshot.SelfWait) {
    interlock_events_hide_thread(true)
    defer { interlock_events_hide_thread(false) }
    guard selfWaits.lock(before: Date(timeIntervalSinceNow: Self.longestHold)) else { return }
    let isFirst = !hasReportedSelfWait
    hasReportedSelfWait = true
    defer { if !(isFirst && wait.traps) { selfWaits.unlock() } }
    guard isFirst else { return }
    // Relaxed, both: the monitor thread polls repeatedly, and confirms what it reads.
    if wait.traps { trapsBefore.store(.max, ordering: .relaxed) }
    defer {
      if wait.traps {
        trapsBefore.store(UInt64((Platform.now + Self.longestHold) * 1000), ordering: .relaxed)
      }
    }
    var taker = taker
    taker.ignoredThreads.insert(threadNumber)
    var wait = wait
    wait.place = ownStack
    let snapshot = taker.take(selfWait: wait).snapshot
    guard let diagnosis = Diagnosis(of: snapshot) else { return }
    reportInTurn(Report(snapshot: snapshot, diagnosis: diagnosis))
  }

  /// Makes a report once the report of another thread has ended. Makes none if that takes too long.
  private func reportInTurn(_ made: Report) {
    guard reporting.lock(before: Date(timeIntervalSinceNow: Self.longestHold)) else { return }
    defer { reporting.unlock() }
    report(made)
  }

  /// The calling thread's stack. Its first frames belong to the harness; reports skip them.
  private var ownStack: [StackFrame] {
    let most = 48
    let addresses = [UInt](unsafeUninitializedCapacity: most) {
      $1 = interlock_unwind_frames($0.baseAddress, most)
    }
    return addresses.map { StackFrame(address: $0) }
  }

  private func run() {
    interlock_name_thread("interlock")
    interlock_events_hide_thread(true)
    // Release: pairs with the acquire in `threadNumber`. The thread is hidden before its number is
    // published.
    thread.store(Platform.thisThread, ordering: .releasing)
    var watch = HangDetector(taker: taker, thread: Platform.thisThread)
    while true {
      let isTrapping = UInt64(Platform.now * 1000) < trapsBefore.load(ordering: .relaxed)
      if takesRequest() { reportInTurn(watch.state) }
      if !isTrapping, let finding = watch.look(limit: limit()) { reportInTurn(finding) }
      // A poll period, not a wait for an event: only a poll finds a hang.
      var pause = timespec(
        tv_sec: 0,
        tv_nsec: watch.isSuspicious ? Self.confirmNanoseconds : Self.pollNanoseconds)
      nanosleep(&pause, nil)
    }
  }
}
