import CInterlockAnalysis
import CInterlockEvents
import Foundation
import HangReports
import Interlock
import ProcessInspection

/// Predicts deadlocks and races that did not occur in this run of the process.
package enum Predictor {
  /// The shortest wait, in seconds, of a task for a lock on a pool thread that is reported. It is
  /// far longer than a short section takes on a busy machine.
  package static let blockedSeconds = 1.0

  /// Starts prediction, until the process ends.
  ///
  /// Call it before the code under test creates its locks: earlier objects are not followed. Later
  /// calls do nothing. Callable from any thread.
  ///
  /// - Parameter holdSeconds: The shortest time of holding a lock that is reported; `nil` for
  ///   never.
  package static func start(holdSeconds: Double? = nil) {
    OwnCode.register(OwnCode.prediction)
    _ = interlock_prediction_start(
      interlock_prediction_limits(
        blocked_limit: UInt64(blockedSeconds * 1e9),
        hold_limit: UInt64((holdSeconds ?? 0) * 1e9)))
    if interlock_clocks_start() { SectionTracking.followOrder() }
  }

  /// Records an incident if the calling thread holds a lock. Call it where code of another module
  /// begins.
  ///
  /// Queues do not count: many interfaces promise to call back on their own queue. Takes a few
  /// nanoseconds; does nothing without prediction.
  package static func calledBack() { interlock_prediction_called_back(0) }

  /// Orders the calling thread after everything that any thread has done so far.
  ///
  /// Use it for a thread that waited without an event. Callable from any thread.
  package static func comesAfterAll() { interlock_clocks_come_after_all() }

  /// Records the locks that the calling thread still holds after `main` has returned, or in a call
  /// of `exit` outside the functions that acquired them.
  ///
  /// Call it in an exit handler.
  package static func noteExit() {
    guard interlock_prediction_started(), interlock_prediction_depth() > 0 else { return }
    switch ExitCall.current {
    case .byMain: interlock_note_left_by_main()
    case .from(let callers): interlock_note_left_by_exit(callers, callers.count)
    case nil: break
    }
  }

  /// The most milliseconds that a record waits for threads that hold a lock to end. A thread that
  /// has sent its last signal may not have ended yet.
  private static let mostPauses = 100

  private static func waitForEndingThreads() {
    for _ in 0..<mostPauses where interlock_others_hold_locks() {
      var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
      nanosleep(&pause, nil)
    }
  }

  /// The findings so far.
  ///
  /// If there are any, takes up to a second to read debug information. Callable from any thread.
  ///
  /// - Parameter isAtEnd: True if the process is about to end: then threads that hold a lock get
  ///   time to end first.
  /// - Returns: The findings; `unavailable` if this process's calls cannot be followed.
  package static func record(atEnd isAtEnd: Bool = false) -> PredictionRecord {
    guard interlock_prediction_started() else {
      return PredictionRecord(
        state: .unavailable(
          reason: InterposedCalls.blindness
            ?? InterposedCalls.lostLayouts(UInt32(INTERLOCK_LAYOUTS_OF_LOCKS))
            ?? "it was not started: there was no memory, or no wish, for it"))
    }
    interlock_events_hide_thread(true)
    defer { interlock_events_hide_thread(false) }
    if isAtEnd { waitForEndingThreads() }
    let order = Tables.lockOrder()
    let cycles = order.cycles()
    let incidents = Tables.incidents() + Tables.leftLocks()
    let names = Names(
      of: Set(incidents.flatMap(\.addresses)), locks: incidents.compactMap(\.lock),
      takenAt: incidents.map(\.place))
    var judge = CodeJudge()
    let races = races(besides: order, judge: &judge)
    let found = cycles.found + order.loops()
    let apart = found.filter { Self.mayHaveUnseenGate($0, judge: &judge) }
    let doubts = found.filter { !apart.contains($0) }.map { Self.doubt(about: $0, judge: &judge) }
    let possible = zip(found.filter { !apart.contains($0) }, doubts).filter { $1 == nil }.map(\.0)
    let findings =
      order.findings(of: possible) + incidents.map { $0.finding(names) } + races.findings
    return PredictionRecord(
      state: .on, findings: findings.filter(isUsers),
      notes: notes(
        isComplete: cycles.isComplete, undecided: apart.count,
        released: order.undecidedCount(), doubts: doubts.compactMap(\.self))
        + races.notes,
      unseen: racesBlindness == nil ? [] : [.race])
  }

  /// True if all participants are in user code: the harness's own threads wait in tasks too.
  private static func isUsers(_ finding: PotentialFinding) -> Bool {
    finding.sides.allSatisfy { side in
      // A signaller has no stored stack, and may be a library.
      let isSignaller = finding.kind == .lockOrder && side.stack.isEmpty
      return isSignaller || side.place.contains { !$0.isSystem }
        || side.stack.first.map { !$0.isSystem } ?? false
    }
  }

  /// True if a lock without events may keep two of the orders apart: both were in a function with
  /// atomics.
  private static func mayHaveUnseenGate(
    _ cycle: LockOrder.Cycle, judge: inout CodeJudge
  ) -> Bool {
    var count = 0
    for edge in cycle.edges where judge.isInAtomics(edge.actor.stack) {
      count += 1
    }
    return count >= 2
  }

  /// The doubt about the code that waits for a signal, if it may order the wait after the signal
  /// without an event; `nil` for none.
  private static func doubt(
    about cycle: LockOrder.Cycle, judge: inout CodeJudge
  ) -> CodeJudge.Doubt? {
    for edge in cycle.edges {
      guard let signal = edge.signal else { continue }
      if let doubt = judge.doubt(about: edge.actor.stack + [signal.place]) { return doubt }
    }
    return nil
  }

  private static func notes(
    isComplete: Bool, undecided: Int, released: Int, doubts: [CodeJudge.Doubt]
  ) -> [String] {
    let lost = interlock_prediction_lost()
    var notes = Set(doubts).sorted().map { doubt in
      "a wait under a lock for what is signalled only under a lock: undecided, since \(doubt),"
        + " and no event tells what that orders"
    }
    if undecided > 0 {
      notes.append(
        "\(undecided) \(undecided == 1 ? "cycle" : "cycles") of locks: undecided, since the threads"
          + " that take them run functions with atomics or a Mutex, which may keep them apart"
          + " unseen")
    }
    if released > 0 {
      notes.append(
        "\(released) \(released == 1 ? "cycle" : "cycles") of locks: undecided, since a lock or a"
          + " semaphore that one thread takes and another releases may keep them apart")
    }
    if lost.waits, let racesBlindness {
      notes.append(
        "waits under a lock for what others signal are not followed from some moment on:"
          + " \(racesBlindness)")
    }
    if lost.unseen_mutex != 0 {
      let place = PlaceText.at(Names(of: [lost.unseen_mutex]).frames([lost.unseen_mutex]))
      notes.append(
        "a Mutex that a thread waited for\(place) is in no order of locks, since no call shows"
          + " where it is locked; one that is taken through a section is")
    }
    if lost.locks { notes.append("there were more locks at a time than are followed") }
    if lost.orders { notes.append("there were more orders of locks than are kept") }
    if lost.signals { notes.append("there were more signals under locks than are followed") }
    if lost.held { notes.append("a thread held more than is followed of one") }
    if lost.incidents { notes.append("there were more places that block or hold than are kept") }
    if lost.threads { notes.append("there was no memory to follow another thread") }
    if !isComplete { notes.append("there were more orders than could be searched for cycles") }
    return notes
  }
}
