import CMarks
import CInterlockAnalysis
import CInterlockEvents
import CInterlockHarness
import Foundation
import Interlock
import ProcessInspection
import Synchronization

/// Watches this process from a thread of its own, and reports when no thread makes progress.
///
/// It reads the number of events and the wait table 25 times a second. It inspects the threads
/// themselves, which is expensive, only if that number does not change, or if threads have waited
/// for locks or queues for a while. A certain finding was certain in two snapshots in a row, and no
/// thread ran between them.
package final class HangMonitor: Sendable {
  /// What a monitor reports.
  package struct Report: Sendable {
    /// The process at that moment.
    package var snapshot: WaitSnapshot
    /// Why the process hangs; `nil` if no thread is stuck, and yet nothing has happened for as long
    /// as the limit.
    package var diagnosis: Diagnosis?
    /// Whether nothing has happened for as long as the limit.
    package var isOverLimit = false
    /// Whether it was asked for: the process may be in the best of health.
    package var isAsked = false
  }

  /// The time between two polls.
  private static let pollNanoseconds = 40_000_000
  /// The time to the poll that may confirm a certain cause.
  private static let confirmNanoseconds = 10_000_000

  /// The most seconds that a call which waits for its own thread is delayed while another is
  /// reported.
  private static let longestHold = 5.0

  private let taker: SnapshotTaker
  private let report: @Sendable (Report) -> Void
  private let limit: @Sendable () -> Double?
  private let takesRequest: @Sendable () -> Bool
  // Not `Mutex`: ThreadSanitizer reports a contended one as a race.
  private let selfWaits = NSLock()
  // Accessed only under that lock.
  nonisolated(unsafe) private var hasReportedSelfWait = false
  /// Until then, by the milliseconds of `Platform.now`, a call that waits for its own thread is
  /// about to end the process. Its thread may sleep while it is reported.
  private let trapsBefore = Atomic<UInt64>(0)
  /// The monitor's own thread, once it runs.
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

  /// Starts to watch this process, until it ends.
  ///
  /// - Parameters:
  ///   - taker: Takes the snapshots; it has the threads and descriptors to ignore.
  ///   - limit: The seconds after which a process in which nothing happens is reported without a
  ///     certain cause; `nil` for no limit. The closure is called at each poll.
  ///   - takesRequest: Returns whether a report is asked for, whatever the process does, and takes
  ///     that request. The closure is called at each poll.
  ///   - report: Called on the monitor's thread; for a call that waits for its own thread, on that
  ///     thread, before libdispatch ends the process. It must not wait for a thread of this
  ///     process.
  /// - Returns: The monitor; `nil` if this build sees no calls and there is no limit, or if the
  ///   system refuses a thread.
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

  /// The system's number of the monitor's thread. Waits until that thread runs.
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
  /// Later calls are not reported. They wait here until the first report is written; without that,
  /// they could end the process before. If the first call ends the process, they wait for that end:
  /// a thousand threads that trap at once keep the toolchain's backtracer busy for half a minute.
  func reportSelfWait(_ wait: WaitSnapshot.SelfWait) {
    interlock_events_hide_thread(true)
    defer { interlock_events_hide_thread(false) }
    guard selfWaits.lock(before: Date(timeIntervalSinceNow: Self.longestHold)) else { return }
    let isFirst = !hasReportedSelfWait
    hasReportedSelfWait = true
    defer { if !(isFirst && wait.traps) { selfWaits.unlock() } }
    guard isFirst else { return }
    // Relaxed, both: the monitor thread looks again and again, and confirms what it sees.
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
    report(Report(snapshot: snapshot, diagnosis: diagnosis))
  }

  /// The calling thread's stack. Its first frames belong to the harness, and reports skip them.
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
    // Release: pairs with the acquire in `threadNumber`; the thread is hidden before it is known.
    thread.store(Platform.thisThread, ordering: .releasing)
    var watch = HangDetector(taker: taker, thread: Platform.thisThread)
    while true {
      let isTrapping = UInt64(Platform.now * 1000) < trapsBefore.load(ordering: .relaxed)
      if takesRequest() { report(watch.state) }
      if !isTrapping, let finding = watch.look(limit: limit()) { report(finding) }
      // A period between polls, not a wait for an event: only a poll finds what to report.
      var pause = timespec(
        tv_sec: 0,
        tv_nsec: watch.isSuspicious ? Self.confirmNanoseconds : Self.pollNanoseconds)
      nanosleep(&pause, nil)
    }
  }
}
