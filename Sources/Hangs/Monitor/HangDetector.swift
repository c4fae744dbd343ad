import CInterlockAnalysis
import Foundation
import ProcessInspection

/// The monitor's state between two polls. Only the monitor's thread uses it.
struct HangDetector {
  /// The polls with an unchanged count before a snapshot is taken.
  private static let quietPolls = 2
  /// The seconds between two reports of a cause that is not certain.
  private static let repeatSeconds = 0.5
  /// The seconds until the first of them.
  private static let firstSeconds = 0.2
  /// The polls between two searches for a cycle among threads that wait while others run.
  private static let ringPolls = 5
  /// After this many quiet polls, only one in `patientEvery` polls takes a snapshot.
  private static let patientPolls = 50
  private static let patientEvery = 25
  /// Without events, the polls between two counts of all context switches.
  private static let blindEvery = 12
  /// If threads have run at this many polls in a row after the limit, the process computes, or
  /// polls itself.
  private static let mostMovedPolls = 5
  /// A process that its growing pool frees within this time, or within the limit, does not hang;
  /// seconds.
  private static let slowSeconds = 10.0
  /// The polls for which a new thread may run its first block before that counts as progress.
  private static let mostUndecidedPolls = 12

  private var taker: SnapshotTaker
  private var progress: UInt64 = .max
  private var quietSince = 0.0
  private var quietPolls = 0
  private var polls = 0
  /// The count of events at which a snapshot was certain once.
  private var suspectedAt: UInt64?
  private var reportedAt = 0.0
  private var hasReportedCertain = false
  private var hasReportedLimit = false
  private var longWaits: [Int: UInt64] = [:]
  private var lookedAtRing: [Int: UInt64] = [:]
  /// The cycle that the last search found.
  private var suspectedRing: RingMembers?
  private var log = ActivityLog()
  private var housekeeping = PoolHousekeeping()
  private var movedPolls = 0
  private var undecidedPolls = 0
  /// How often the groups that threads wait for had been left, soon after the process became quiet.
  private var left: [WaitSnapshot.ObjectID: Int]?

  init(taker: SnapshotTaker, thread: Int) {
    self.taker = taker
    self.taker.ignoredThreads.insert(thread)
  }

  /// Whether the next poll can confirm a certain cause. It may come soon: a cause is confirmed if
  /// no thread has run in between, however long that was.
  var isSuspicious: Bool { suspectedAt != nil && !hasReportedCertain }

  /// The process as it is now, with the cause of a hang if it hangs.
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

  /// A number that changes whenever a thread does something: the number of events; without events,
  /// the number of context switches.
  private var count: UInt64 {
    if SnapshotTaker.isAvailable { return SnapshotTaker.progress(after: progress) }
    guard polls % Self.blindEvery == 0 else { return progress }
    return taker.switches()
  }

  /// Whether the count has changed only through Dispatch's own housekeeping.
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

  /// Called if no event came within the limit: returns a finding if no thread ran either.
  private mutating func lookAtLimit(_ limit: Double, _ now: Double) -> HangMonitor.Report? {
    var taken = taker.take()
    guard !taker.hasMoved(since: taken) else {
      // Either a thread computes or polls, which is progress, or a pool is just getting a thread,
      // which is not.
      movedPolls += 1
      if movedPolls >= Self.mostMovedPolls { noteProgress(progress, at: now) }
      return nil
    }
    movedPolls = 0
    let diagnosis = Diagnosis(of: taken.snapshot)
    // The wait ends by itself: this system adds one thread a second to the pool.
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

  /// Whether the new threads of a growing pool have left a group that threads wait for, and the
  /// pool may have one more thread for each `leave` that the group still needs.
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

  /// A finding with what the threads did before.
  private func finding(
    _ snapshot: WaitSnapshot, _ diagnosis: Diagnosis?
  ) -> HangMonitor.Report {
    var snapshot = snapshot
    snapshot.activity = log.activity(of: snapshot.threads.map(\.id), at: Platform.now)
    return HangMonitor.Report(snapshot: snapshot, diagnosis: diagnosis)
  }

  /// Searches for a cycle among threads that have waited since the last search, while others run.
  ///
  /// One snapshot is not enough. A thread that has just acquired the lock, and has not published
  /// that yet, seems to wait for a lock that it holds. In the next snapshot it runs, or has
  /// published the event, so only a cycle that is found twice is real.
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
    // Threads outside the cycle may change; its members, and what each holds, do not.
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
