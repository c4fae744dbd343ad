import CInterlock
import CInterlockEvents
import Foundation
import Interlock
import ProcessInspection
import Synchronization
package import WaitForGraph

/// Watches this process from a thread of its own, and tells of it when nothing goes on.
///
/// It looks at a count of all events, and at what the table says of each thread, 25 times a second;
/// and at the threads themselves, which is dear, only when that stands still, or when some have
/// waited for locks or queues for a while. What it says is certain was found certain by two looks
/// in a row between which nothing has moved.
package final class HangMonitor: Sendable {
  /// What a monitor tells.
  package struct Finding: Sendable {
    /// The process when it was told.
    package var snapshot: WaitSnapshot
    /// What that means; `nil` where nothing is stuck, but nothing has happened for as long as was
    /// allowed either.
    package var diagnosis: Diagnosis?
    /// Whether nothing has happened for as long as was allowed.
    package var isOverLimit = false
  }

  /// Between two looks at the count.
  private static let pollNanoseconds = 40_000_000

  /// A call that waits for its own thread is held for so many seconds at most while another is told
  /// of.
  private static let longestHold = 5.0

  private let taker: SnapshotTaker
  private let report: @Sendable (Finding) -> Void
  private let limit: @Sendable () -> Double?
  // Not `Mutex`: ThreadSanitizer takes a contended one for a race.
  private let selfWaits = NSLock()
  // Reached under that lock alone.
  nonisolated(unsafe) private var hasToldSelfWait = false
  /// The monitor's own thread, once it runs.
  private let thread = Atomic<Int>(0)

  private init(
    _ taker: SnapshotTaker, limit: @escaping @Sendable () -> Double?,
    report: @escaping @Sendable (Finding) -> Void
  ) {
    self.taker = taker
    self.limit = limit
    self.report = report
  }

  /// Begins to watch, for the rest of the process's life.
  ///
  /// - Parameters:
  ///   - taker: What looks at the process, with what it is to ignore.
  ///   - limit: For how many seconds nothing may happen before that is told too; `nil` for ever.
  ///     Asked at each look.
  ///   - report: Called on the monitor's thread; or, for a call that waits for its own thread, on
  ///     that thread, before libdispatch ends the process. It must not wait for a thread of this
  ///     process.
  /// - Returns: The monitor; `nil` where no calls are seen in this build and there is no limit to
  ///   keep.
  package static func start(
    _ taker: SnapshotTaker, limit: (@Sendable () -> Double?)? = nil,
    report: @escaping @Sendable (Finding) -> Void
  ) -> HangMonitor? {
    guard interlock_waits_start() || limit != nil else { return nil }
    let monitor = HangMonitor(taker, limit: limit ?? { nil }, report: report)
    SelfWaits.report(to: monitor)
    Thread.detachNewThread { monitor.run() }
    return monitor
  }

  /// The system's number of its thread. Waits until that runs.
  package var threadNumber: Int {
    while true {
      // Acquire: pairs with the release in `run`.
      let number = thread.load(ordering: .acquiring)
      if number != 0 { return number }
      sched_yield()
    }
  }

  /// Tells of the first call that waits for its own thread; on that thread.
  ///
  /// Those of other threads are not told. They are held here until the first is out, or they would
  /// end the process before a word of it is; and where the first ends the process itself, until it
  /// has: a thousand threads that trap at once take the toolchain's backtracer half a minute.
  func tell(_ wait: WaitSnapshot.SelfWait) {
    interlock_events_hide_thread(true)
    defer { interlock_events_hide_thread(false) }
    guard selfWaits.lock(before: Date(timeIntervalSinceNow: Self.longestHold)) else { return }
    let isFirst = !hasToldSelfWait
    hasToldSelfWait = true
    defer { if !(isFirst && wait.traps) { selfWaits.unlock() } }
    guard isFirst else { return }
    var taker = taker
    taker.ignoredThreads.insert(threadNumber)
    var wait = wait
    wait.place = ownStack
    let snapshot = taker.take(selfWait: wait).snapshot
    guard let diagnosis = Diagnosis(of: snapshot) else { return }
    report(Finding(snapshot: snapshot, diagnosis: diagnosis))
  }

  /// The calling thread's stack. Its first frames are the harness's, which whoever shows a place
  /// passes over.
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
    // Release: who sees the number sees a thread that is hidden.
    thread.store(Platform.thisThread, ordering: .releasing)
    var watch = HangWatch(taker: taker, thread: Platform.thisThread)
    while true {
      if let finding = watch.look(limit: limit()) { report(finding) }
      // A period between looks, not a wait for anything: a look is what tells whether there is
      // something to tell.
      var pause = timespec(tv_sec: 0, tv_nsec: Self.pollNanoseconds)
      nanosleep(&pause, nil)
    }
  }
}
