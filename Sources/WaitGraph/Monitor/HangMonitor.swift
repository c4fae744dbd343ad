import CInterlock
import CInterlockEvents
import Foundation
import Synchronization

/// Watches this process from a thread of its own, and tells of it when nothing goes on.
///
/// It looks at a count of all events twenty times a second, which costs a few microseconds, and at the threads only
/// when that stands still, or when some have waited for locks or queues for a while. What it says is certain was found
/// certain by two looks in a row between which nothing has moved.
package final class HangMonitor: Sendable {
  /// What a monitor tells.
  package struct Finding: Sendable {
    /// The process when it was told.
    package var snapshot: WaitSnapshot
    /// What that means.
    package var diagnosis: Diagnosis
  }

  /// Between two looks at the count.
  private static let pollNanoseconds: UInt64 = 40_000_000
  /// After so many looks at an unchanged count the threads are looked at.
  private static let quietPolls = 2
  /// While it is uncertain why nothing goes on, it is told so often, in seconds.
  private static let repeatSeconds = 0.5
  /// After so long it is told first.
  private static let firstSeconds = 0.2
  /// While other threads go on, those that wait for long are looked at each so many polls.
  private static let ringPolls = 5

  private let taker: SnapshotTaker
  private let report: @Sendable (Finding) -> Void
  /// The monitor's own thread, once it runs.
  private let thread = Atomic<Int>(0)

  private init(taker: SnapshotTaker, report: @escaping @Sendable (Finding) -> Void) {
    self.taker = taker
    self.report = report
  }

  /// Begins to watch; `nil` where no calls are seen in this build.
  ///
  /// - Parameters:
  ///   - taker: What looks at the process, with what it is to ignore.
  ///   - report: Called on the monitor's thread; or, for a call that waits for its own thread, on that thread, before
  ///     libdispatch ends the process. It must not wait for a thread of this process.
  package static func start(
    _ taker: SnapshotTaker, report: @escaping @Sendable (Finding) -> Void
  ) -> HangMonitor? {
    guard interlock_waits_start() else { return nil }
    let monitor = HangMonitor(taker: taker, report: report)
    SelfWaits.report(to: monitor)
    Thread.detachNewThread { monitor.run() }
    // Its number must be known before anybody asks for those that do not count: a few microseconds.
    // Acquire: pairs with the release in `run`.
    while monitor.thread.load(ordering: .acquiring) == 0 { sched_yield() }
    return monitor
  }

  /// The system's number of its thread.
  package var threadNumber: Int { thread.load(ordering: .acquiring) }

  /// Tells of a call that waits for its own thread; on that thread.
  func tell(_ wait: WaitSnapshot.SelfWait) {
    var taker = taker
    taker.ignoredThreads.insert(threadNumber)
    let snapshot = taker.take(selfWait: wait).snapshot
    guard let diagnosis = Diagnosis(of: snapshot) else { return }
    report(Finding(snapshot: snapshot, diagnosis: diagnosis))
  }

  private func run() {
    interlock_name_thread("interlock")
    interlock_events_hide_thread(true)
    // Release: who sees the number sees a thread that is hidden.
    thread.store(Platform.thisThread, ordering: .releasing)
    var watch = Watch(taker: taker, thread: Platform.thisThread)
    while true {
      if let finding = watch.look() { report(finding) }
      var pause = timespec(tv_sec: 0, tv_nsec: Int(Self.pollNanoseconds))
      nanosleep(&pause, nil)
    }
  }

  /// What a monitor remembers between two looks; its thread's alone.
  private struct Watch {
    private var taker: SnapshotTaker
    private var progress: UInt64 = .max
    private var quietSince = 0.0
    private var quietPolls = 0
    private var polls = 0
    /// Found certain once, at this count of events.
    private var suspectedAt: UInt64?
    private var toldAt = 0.0
    private var hasToldCertain = false
    private var longWaits: [Int: UInt64] = [:]
    private var lookedAtRing: [Int: UInt64] = [:]
    private var log = ActivityLog()

    init(taker: SnapshotTaker, thread: Int) {
      self.taker = taker
      self.taker.ignoredThreads.insert(thread)
    }

    /// Looks once; gives what is to be told.
    mutating func look() -> Finding? {
      let now = Platform.now
      polls += 1
      log.note(at: now)
      let count = interlock_waits_progress()
      guard count == progress else {
        progress = count
        quietSince = now
        quietPolls = 0
        suspectedAt = nil
        toldAt = now - HangMonitor.repeatSeconds + HangMonitor.firstSeconds
        hasToldCertain = false
        return polls % HangMonitor.ringPolls == 0 ? lookForRing() : nil
      }
      quietPolls += 1
      guard quietPolls >= HangMonitor.quietPolls, !hasToldCertain else { return nil }
      // A process that waits for something outside is not looked at for ever more closely.
      if quietPolls > 50, quietPolls % 25 != 0 { return nil }
      return lookClosely(at: now)
    }

    private mutating func lookClosely(at now: Double) -> Finding? {
      var taken = taker.take()
      taken.snapshot.quietSeconds = now - quietSince
      let wasSuspected = suspectedAt == progress
      suspectedAt = nil
      guard let diagnosis = Diagnosis(of: taken.snapshot), !taker.hasMoved(since: taken) else {
        return nil
      }
      if diagnosis.isCertain {
        guard wasSuspected else {
          suspectedAt = progress
          return nil
        }
        hasToldCertain = true
        return finding(taken.snapshot, diagnosis)
      }
      guard now - toldAt >= HangMonitor.repeatSeconds else { return nil }
      toldAt = now
      return finding(taken.snapshot, diagnosis)
    }

    /// With what the threads did up to now.
    private func finding(_ snapshot: WaitSnapshot, _ diagnosis: Diagnosis) -> Finding {
      var snapshot = snapshot
      snapshot.activity = log.activity(of: snapshot.threads.map(\.id), at: Platform.now)
      return Finding(snapshot: snapshot, diagnosis: diagnosis)
    }

    /// While others go on: whether threads that have waited since the last such look wait in a ring.
    private mutating func lookForRing() -> Finding? {
      let waits = SnapshotTaker.lockWaits()
      let still = waits.filter { longWaits[$0.key] == $0.value }
      longWaits = waits
      guard still.count > 0, still != lookedAtRing else { return nil }
      let taken = taker.take()
      guard let diagnosis = Diagnosis(of: taken.snapshot), diagnosis.isCertain,
        diagnosis.cause == .cycle || diagnosis.cause == .self
      else {
        lookedAtRing = still
        return nil
      }
      // The members of a ring do not move, whatever others do.
      let again = SnapshotTaker.lockWaits()
      guard still.allSatisfy({ again[$0.key] == $0.value }) else { return nil }
      lookedAtRing = still
      return finding(taken.snapshot, diagnosis)
    }
  }
}
