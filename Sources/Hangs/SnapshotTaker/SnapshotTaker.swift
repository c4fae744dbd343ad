import CMarks
import CInterlockAnalysis
import CInterlockEvents
import Foundation
import Interlock
import ProcessInspection

/// Takes snapshots of this process, from the wait table and from the system's data about the
/// threads.
///
/// Only one thread at a time may use a taker, and must hide its calls from the events.
package struct SnapshotTaker {
  /// The threads of the harness, such as a monitor's or a sanitizer's.
  package var ignoredThreads: Set<Int> = []
  /// The threads of an explored program, which its engine has stopped. If set, a snapshot has only
  /// these threads. They are blocked, although the system may show one as running. Reading the
  /// system's data of a thousand threads would take a quarter of a second.
  package var stoppedThreads: Set<Int> = []
  /// The descriptors through which no other process wakes this one.
  package var ignoredDescriptors: Set<Int> = []
  /// True if this process may be idle.
  package var mayRest = false

  /// Creates a taker.
  package init() { OwnCode.register(OwnCode.hangs) }

  /// The threads of this process, without those of the harness.
  private func systemThreads() -> [Platform.Thread] {
    if !stoppedThreads.isEmpty {
      return stoppedThreads.sorted().map {
        Platform.Thread(id: $0, name: "", state: .sleeping, switches: 0)
      }
    }
    let symbolicating = symbolicatingThread()
    return Platform.threads(of: getpid()).filter {
      !ignoredThreads.contains($0.id) && $0.id != symbolicating
    }
  }

  /// True if the wait table is being filled.
  static var isAvailable: Bool { interlock_waits_started() }

  /// A snapshot, with the counts that show whether the process has run since.
  package struct Taken {
    /// The snapshot.
    package var snapshot: WaitSnapshot
    /// The event count, read before anything was inspected.
    var progress: UInt64
    /// The number of context switches of each thread.
    var switches: [Int: Int]
    /// The threads whose context switches do not show progress: they wait without sleeping, poll a
    /// run loop, or are idle pool threads. Only events show their progress.
    var judgedByEvents: Set<Int> = []
  }

  /// Inspects all threads once. Threads may run meanwhile: the snapshot shows a single moment only
  /// if `hasMoved(since:)` is false afterwards.
  package func take(selfWait: WaitSnapshot.SelfWait? = nil) -> Taken {
    let progress = interlock_waits_progress()
    let process = getpid()
    let system = systemThreads()
    let views = Self.threadViews()
    let known = Dictionary(views.map { (Int($0.number), $0) }, uniquingKeysWith: { $1 })
    let codes = BlockCodes()
    let listensOutside = Platform.listensOutside(process, ignoring: ignoredDescriptors)
    var threads = system.map { thread in
      // With more threads than this no pool may grow, so the code of its blocks does not matter.
      self.thread(
        thread, view: known[thread.id], process: process, listensOutside: listensOutside,
        codes: system.count <= ActivityLog.mostInspected ? codes : nil)
    }
    Self.correctHolders(in: &threads)
    Self.nameJoined(in: &threads, known: views)
    var snapshot = WaitSnapshot(
      threads: threads.sorted { $0.id < $1.id }, queues: queues(for: threads, reading: codes),
      signals: signals(for: threads), processors: Platform.poolThreads,
      isPartial: interlock_waits_is_partial() || interlock_events_handles_signals(),
      nextTimer: Platform.timers(of: process).filter { !Self.isHousekeeping($0) }
        .map(\.seconds).min(),
      mayRest: mayRest, selfWait: selfWait)
    snapshot.leftLocks = Self.leftLocks(for: threads)
    snapshot.awaits = Self.awaits(besides: threads)
    snapshot.actorTypes = Self.actorTypes(of: snapshot.awaits)
    snapshot.taskMakers = Self.makers(of: snapshot)
    return Taken(
      snapshot: snapshot, progress: progress,
      switches: Dictionary(
        system.map { ($0.id, $0.switches) }, uniquingKeysWith: { first, _ in first }),
      judgedByEvents: Set(
        system.filter { thread in
          guard let view = known[thread.id] else { return false }
          if Self.polls(thread, view) { return true }
          return thread.state == .sleeping ? Self.hasNoWork(view) : Self.asksInVain(view)
        }.map(\.id)
          + threads.filter { $0.elsewhere == .listening && !$0.isMain && $0.runs.isEmpty }.map(\.id)
      ))
  }

  /// The event count; if it differs from `last`, it is read again after a few milliseconds.
  ///
  /// A thread that polls its run loop raises the number for a short time, ten times a second.
  static func progress(after last: UInt64) -> UInt64 {
    var count = interlock_waits_progress()
    for _ in 0..<4 where count != last {
      usleep(2000)
      count = interlock_waits_progress()
    }
    return count
  }

  /// True if a thread has started, ended, made a call or run since the snapshot began.
  func hasMoved(since taken: Taken) -> Bool {
    guard Self.progress(after: taken.progress) == taken.progress else { return true }
    let now = systemThreads()
    guard now.count == taken.switches.count else { return true }
    return now.contains {
      ($0.state != .sleeping || $0.switches != taken.switches[$0.id])
        && !taken.judgedByEvents.contains($0.id)
    }
  }

  /// The number of context switches of all threads, without the ignored ones.
  func switches() -> UInt64 {
    systemThreads().reduce(0) { $0 &+ UInt64($1.switches) &+ UInt64($1.id) }
  }

  /// True for the one-second timer that lets Dispatch's pools grow. A user's timer at the same
  /// descriptor is a delayed block, or makes the snapshot partial. Other libraries, such as
  /// Foundation's run loops, have descriptors of their own on that clock.
  private static func isHousekeeping(_ timer: Platform.Timer) -> Bool {
    timer.descriptor == Int(interlock_events_pool_timer()) && timer.seconds <= 1.05
  }
}
