import CInterlockEvents
import Foundation
import ProcessInspection
import WaitForGraph

/// What a monitor remembers between two looks; for one thread.
struct HangWatch {
  /// After so many looks at an unchanged count the threads are looked at.
  private static let quietPolls = 2
  /// While it is uncertain why nothing goes on, it is told so often, in seconds.
  private static let repeatSeconds = 0.5
  /// After so long it is told first.
  private static let firstSeconds = 0.2
  /// While other threads go on, those that wait for long are looked at each so many looks.
  private static let ringPolls = 5
  /// A process in which nothing happens for so many looks is looked at once a second only.
  private static let patientPolls = 50
  private static let patientEvery = 25
  /// Where no calls are seen, the system is asked for every thread each so many looks.
  private static let blindEvery = 12
  /// A process that moves at so many looks in a row when its time is up computes, or polls.
  private static let mostMovedPolls = 5
  /// A new thread may run its first block for so many looks before that is something.
  private static let mostUndecidedPolls = 12

  private var taker: SnapshotTaker
  private var progress: UInt64 = .max
  private var quietSince = 0.0
  private var quietPolls = 0
  private var polls = 0
  /// Found certain once, at this count of events.
  private var suspectedAt: UInt64?
  private var toldAt = 0.0
  private var hasToldCertain = false
  private var hasToldLimit = false
  private var longWaits: [Int: UInt64] = [:]
  private var lookedAtRing: [Int: UInt64] = [:]
  /// The ring that the last such look found, by its headline and its members.
  private var suspectedRing: [String] = []
  private var log = ActivityLog()
  private var housekeeping = PoolHousekeeping()
  private var movedPolls = 0
  private var undecidedPolls = 0

  init(taker: SnapshotTaker, thread: Int) {
    self.taker = taker
    self.taker.ignoredThreads.insert(thread)
  }

  /// Looks once; gives what is to be told.
  mutating func look(limit: Double?) -> HangMonitor.Finding? {
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
    let isOver = limit.map { now - quietSince >= $0 } ?? false
    if isOver, !hasToldLimit { return lookAtLimit(now) }
    guard quietPolls >= Self.quietPolls, !hasToldCertain else { return nil }
    let isPatient = quietPolls > Self.patientPolls && suspectedAt != progress
    if isPatient, quietPolls % Self.patientEvery != 0 { return nil }
    return lookClosely(at: now)
  }

  /// What changes whenever a thread does something: the events; or, where none are seen, how often
  /// the threads were switched.
  private var count: UInt64 {
    if SnapshotTaker.isAvailable { return SnapshotTaker.progress(after: progress) }
    guard polls % Self.blindEvery == 0 else { return progress }
    return taker.switches()
  }

  /// Whether the count has changed, but only by what Dispatch does with its threads by itself.
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
    progress = count
    quietSince = now
    quietPolls = 0
    suspectedAt = nil
    toldAt = now - Self.repeatSeconds + Self.firstSeconds
    hasToldCertain = false
    hasToldLimit = false
  }

  private mutating func lookClosely(at now: Double) -> HangMonitor.Finding? {
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
    guard now - toldAt >= Self.repeatSeconds else { return nil }
    toldAt = now
    return finding(taken.snapshot, diagnosis)
  }

  /// Nothing was published for as long as is allowed: whether nothing ran either.
  private mutating func lookAtLimit(_ now: Double) -> HangMonitor.Finding? {
    var taken = taker.take()
    guard !taker.hasMoved(since: taken) else {
      // A thread computes or polls, which is something; or a pool gets one at this moment, which is
      // not.
      movedPolls += 1
      if movedPolls >= Self.mostMovedPolls { noteProgress(progress, at: now) }
      return nil
    }
    movedPolls = 0
    let diagnosis = Diagnosis(of: taken.snapshot)
    // It ends by itself: a thread a second is this system's way.
    if diagnosis?.pool?.isOnlySlow ?? false { return nil }
    hasToldLimit = true
    taken.snapshot.quietSeconds = now - quietSince
    var result = finding(taken.snapshot, diagnosis)
    result.isOverLimit = true
    return result
  }

  /// With what the threads did up to now.
  private func finding(
    _ snapshot: WaitSnapshot, _ diagnosis: Diagnosis?
  ) -> HangMonitor.Finding {
    var snapshot = snapshot
    snapshot.activity = log.activity(of: snapshot.threads.map(\.id), at: Platform.now)
    return HangMonitor.Finding(snapshot: snapshot, diagnosis: diagnosis)
  }

  /// While others go on: whether threads that have waited since the last such look wait in a ring.
  ///
  /// One look is not enough. A thread may have just been given the lock and not have told of it
  /// yet: then it seems to wait for what it has. At the next look it runs, or has told of it, so
  /// that only what is found twice is true.
  private mutating func lookForRing() -> HangMonitor.Finding? {
    let waits = SnapshotTaker.lockWaits()
    let still = waits.filter { longWaits[$0.key] == $0.value }
    longWaits = waits
    guard !still.isEmpty, still != lookedAtRing else { return nil }
    let suspected = suspectedRing
    suspectedRing = []
    let taken = taker.take()
    guard let diagnosis = Diagnosis(of: taken.snapshot), diagnosis.isCertain,
      diagnosis.cause == .cycle || diagnosis.cause == .self
    else {
      lookedAtRing = still
      return nil
    }
    // Others come and go beside a ring; its own members, and what each of them has, do not.
    let members = [diagnosis.headline] + diagnosis.nodes.filter(\.isMarked).map(\.id).sorted()
    guard members == suspected else {
      suspectedRing = members
      return nil
    }
    lookedAtRing = still
    return finding(taken.snapshot, diagnosis)
  }
}
