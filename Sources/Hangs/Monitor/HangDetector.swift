import CInterlockAnalysis
import Foundation
import ProcessInspection

/// The monitor's state between two polls. Used only on the monitor's thread.
struct HangDetector {
  /// The number of polls with an unchanged count before a snapshot is taken.
  private static let quietPolls = 2
  /// The seconds between two reports of a cause that is not certain.
  private static let repeatSeconds = 0.5
  /// The seconds until the first such report.
  private static let firstSeconds = 0.2
  /// The number of polls between two searches for a cycle of waiting threads while others run.
  private static let ringPolls = 5
  /// After this many quiet polls, only one in `patientEvery` polls takes a snapshot.
  private static let patientPolls = 50
  private static let patientEvery = 25
  /// Without events, the number of polls between two counts of all context switches.
  private static let blindEvery = 12
  /// The number of consecutive polls after the limit in which threads have run, from which on the
  /// process counts as computing or polling.
  private static let mostMovedPolls = 5
  /// A process does not hang if its growing pool frees it within this many seconds, or within the
  /// limit.
  private static let slowSeconds = 10.0
  /// The most polls during which a new thread may run its first block before that counts as
  /// progress.
  private static let mostUndecidedPolls = 12

  private var taker: SnapshotTaker
  private var progress: UInt64 = .max
  private var quietSince = 0.0
  private var quietPolls = 0
  private var polls = 0
  /// The event count at which a snapshot's cause was certain once; `nil` for none.
  private var suspectedAt: UInt64?
  private var reportedAt = 0.0
  private var hasReportedCertain = false
  private var hasReportedLimit = false
  private var longWaits: [Int: UInt64] = [:]
  private var lookedAtRing: [Int: UInt64] = [:]
  /// The cycle found by the last search.
  private var suspectedRing: RingMembers?
  private var log = ActivityLog()
  private var housekeeping = PoolHousekeeping()
  private var movedPolls = 0
  private var undecidedPolls = 0
  /// The release counts of groups that threads wait for, taken soon after the process became quiet.
  private var left: [WaitSnapshot.ObjectID: Int]?

  init(taker: SnapshotTaker, thread: Int) {
    self.taker = taker
    self.taker.ignoredThreads.insert(thread)
  }

  /// True if the next poll can confirm a certain cause. The poll may come soon: a cause is
  /// confirmed if no thread has run in between, however long that time was.
  var isSuspicious: Bool { suspectedAt != nil && !hasReportedCertain }

  /// The current state of the process, with the cause if it hangs.
  var state: HangMonitor.Report {
    var taken = taker.take()
    taken.snapshot.quietSeconds = Platform.now - quietSince
    let diagnosis = Diagnosis(of: taken.snapshot)
    return HangMonitor.Report(
      snapshot: taken.snapshot, diagnosis: taker.hasMoved(since: taken) ? nil : diagnosis,
      isAsked: true)
  }

  /// Polls once, and returns what to report.
  mutating func look(limit: Double?) -> HangMonitor.Report? {
    let now = Platform.now
    polls += 1
    let views =
      interlock_waits_threads(nil, 0) <= ActivityLog.mostInspected
      ? SnapshotTaker.threadViews() : nil
    log.note(views, at: now)
    let count = count
    guard count == progress || isHousekeeping(count, views) else {
      noteProgress(count, at: now)
      return polls % Self.ringPolls == 0 ? lookForRing() : nil
    }
    guard undecidedPolls == 0 else { return nil }
    quietPolls += 1
    if quietPolls == 1, let views { housekeeping.restart(views) }
    if let limit, now - quietSince >= limit, !hasReportedLimit { return lookAtLimit(limit, now) }
    guard quietPolls >= Self.quietPolls, !hasReportedCertain else { return nil }
    let isPatient = quietPolls > Self.patientPolls && suspectedAt != progress
    if isPatient, quietPolls % Self.patientEvery != 0 { return nil }
    return lookClosely(at: now)
  }

  /// A number that changes whenever a thread does something: the number of events, or of context
  /// switches if events are not available.
  private var count: UInt64 {
    if SnapshotTaker.isAvailable { return SnapshotTaker.progress(after: progress) }
    guard polls % Self.blindEvery == 0 else { return progress }
    return taker.switches()
  }

  /// True if only Dispatch's own housekeeping has changed the count.
  private mutating func isHousekeeping(
    _ count: UInt64, _ views: [interlock_thread_view]?
  ) -> Bool {
    guard quietPolls > 0, let views else { return false }
    switch housekeeping.change(views) {
    case .progress: return false
    case .undecided:
      undecidedPolls += 1
      return undecidedPolls <= Self.mostUndecidedPolls
    case .none:
      undecidedPolls = 0
      progress = count
      suspectedAt = nil
      housekeeping.restart(views)
      return true
    }
  }

  private mutating func noteProgress(_ count: UInt64, at now: Double) {
    movedPolls = 0
    undecidedPolls = 0
    left = nil
    progress = count
    quietSince = now
    quietPolls = 0
    suspectedAt = nil
    reportedAt = now - Self.repeatSeconds + Self.firstSeconds
    hasReportedCertain = false
    hasReportedLimit = false
  }

  private mutating func lookClosely(at now: Double) -> HangMonitor.Report? {
    var taken = taker.take()
    taken.snapshot.quietSeconds = now - quietSince
    left = left ?? Self.left(taken.snapshot)
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
      hasReportedCertain = true
      return finding(taken.snapshot, diagnosis)
    }
    guard now - reportedAt >= Self.repeatSeconds else { return nil }
    reportedAt = now
    return finding(taken.snapshot, diagnosis)
  }

  /// Handles a limit without events. Returns a finding if no thread has run either.
  private mutating func lookAtLimit(_ limit: Double, _ now: Double) -> HangMonitor.Report? {
    var taken = taker.take()
    guard !taker.hasMoved(since: taken) else {
      // A thread that computes or polls is progress. A pool that is just getting a thread is not.
      movedPolls += 1
      if movedPolls >= Self.mostMovedPolls { noteProgress(progress, at: now) }
      return nil
    }
    movedPolls = 0
    let diagnosis = Diagnosis(of: taken.snapshot)
    // The wait ends by itself: the system adds one thread a second to the pool.
    if let pool = diagnosis?.pool, pool.isOnlySlow,
      Double(pool.seconds) <= max(limit, Self.slowSeconds)
    {
      return nil
    }
    if isBeingLeft(taken.snapshot, diagnosis) {
      noteProgress(progress, at: now)
      return nil
    }
    hasReportedLimit = true
    taken.snapshot.quietSeconds = now - quietSince
    var result = finding(taken.snapshot, diagnosis)
    result.isOverLimit = true
    return result
  }

  private static func left(_ snapshot: WaitSnapshot) -> [WaitSnapshot.ObjectID: Int] {
    Dictionary(
      snapshot.signals.filter { $0.kind == .group }.map { ($0.id, $0.releases) },
      uniquingKeysWith: max)
  }

  /// True if new threads of a growing pool have left a group that threads wait for, and the pool
  /// may have one more thread for each `leave` that the group still needs.
  private func isBeingLeft(_ snapshot: WaitSnapshot, _ diagnosis: Diagnosis?) -> Bool {
    guard let left, case .starvation(let pool)? = diagnosis?.evidence, pool.grows else {
      return false
    }
    return snapshot.signals.contains { group in
      guard group.kind == .group, let before = left[group.id] else { return false }
      return group.releases > before
        && group.enters - group.releases <= pool.mostThreads - pool.threads
    }
  }

  /// A finding, with the recent activity of the threads.
  private func finding(
    _ snapshot: WaitSnapshot, _ diagnosis: Diagnosis?
  ) -> HangMonitor.Report {
    var snapshot = snapshot
    snapshot.activity = log.activity(of: snapshot.threads.map(\.id), at: Platform.now)
    return HangMonitor.Report(snapshot: snapshot, diagnosis: diagnosis)
  }

  /// Searches for a cycle among threads that have waited since the last search, while others run.
  ///
  /// One snapshot is not enough. A thread that has just acquired a lock and has not published the
  /// event yet seems to wait for a lock that it holds. By the next snapshot, it has run or
  /// published the event. Only a cycle found twice is real.
  private mutating func lookForRing() -> HangMonitor.Report? {
    let waits = SnapshotTaker.lockWaits()
    let still = waits.filter { longWaits[$0.key] == $0.value }
    longWaits = waits
    guard !still.isEmpty, still != lookedAtRing else { return nil }
    let suspected = suspectedRing
    suspectedRing = nil
    let taken = taker.take()
    guard let diagnosis = Diagnosis(of: taken.snapshot), diagnosis.isCertain,
      diagnosis.cause == .cycle || diagnosis.cause == .self
    else {
      lookedAtRing = still
      return nil
    }
    // Threads outside of the cycle may change. The members, and the objects that each holds, may
    // not.
    let members = RingMembers(diagnosis)
    guard members == suspected else {
      suspectedRing = members
      return nil
    }
    lookedAtRing = still
    return finding(taken.snapshot, diagnosis)
  }
}

/// The threads and objects of a cycle.
private struct RingMembers: Equatable {
  private let parties: Set<Diagnosis.Party>
  private let nodes: Set<Diagnosis.Node.ID>

  init(_ diagnosis: Diagnosis) {
    nodes = Set(diagnosis.nodes.filter(\.isMarked).map(\.id))
    parties =
      switch diagnosis.evidence {
      case .cycle(let waits, _): Set(waits.map(\.waiter))
      case .selfWait(let party, _, _): [party]
      default: []
      }
  }
}
