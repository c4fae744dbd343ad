import Interlock
import Testing

@testable import Hangs

/// Locks whose owners ended, or continued, without unlocking them.
@Suite("An abandoned lock")
struct AbandonedLockTests {
  typealias S = Snapshots

  private static func process(
    _ threads: [WaitSnapshot.Thread], _ queues: [WaitSnapshot.Queue] = [],
    left kind: WaitSnapshot.ObjectKind = .mutex
  ) -> WaitSnapshot {
    var snapshot = S.process(
      threads, queues,
      signals: [WaitSnapshot.Signal(id: 0xa, kind: kind, created: S.line(2, "init()"))])
    snapshot.leftLocks = [
      WaitSnapshot.LeftLock(
        kind: kind, object: 0xa, place: S.line(5, "lock()") + S.line(7, "add(_:)"), thread: 77,
        threadName: "worker")
    ]
    return snapshot
  }

  @Test(
    "an abandoned lock is reported with its ended owner and the lines that made and acquired it"
  )
  func ended() throws {
    let waiting = S.waiting(1, .mutex, 0xa, isMain: true)
    let found = try explained(Self.process([waiting]), "abandoned-by-ended-thread")
    #expect(found.cause == .abandonedLock)
    #expect(found.isCertain)
    #expect(
      found.evidence
        == .abandonedLock(
          Diagnosis.Object(.mutex, 0xa), by: .ended(77), waiters: [.thread(1)], chain: [],
          others: []))
    #expect(found.advice == .unlockOnEveryWayOut)
    let lock = try #require(found.nodes.first { $0.kind == .lock })
    #expect(lock.id == .object(0xa))
    #expect(lock.isMarked)
  }

  @Test(
    "a lock of each kind can be abandoned",
    arguments: [WaitSnapshot.ObjectKind.mutex, .readLock, .writeLock])
  func kinds(_ kind: WaitSnapshot.ObjectKind) throws {
    let found = try #require(
      Diagnosis(of: Self.process([S.waiting(1, .writeLock, 0xa)], left: kind)))
    #expect(found.cause == .abandonedLock)
    #expect(found.isCertain)
  }

  @Test("a pool's thread whose block ended without an unlock is named as the owner")
  func block() throws {
    let idle = S.other(2, .idle, held: [S.has(0xa, at: 9)], pool: S.defaultPool)
    let found = try explained(
      S.process([S.waiting(1, .mutex, 0xa), idle]), "abandoned-by-idle-thread")
    #expect(
      found.evidence
        == .abandonedLock(
          Diagnosis.Object(.mutex, 0xa), by: .continued([.thread(2)]), waiters: [.thread(1)],
          chain: [],
          others: []))
    // A running thread may enqueue a block that unlocks on the idle thread.
    #expect(
      Diagnosis(of: S.process([S.waiting(1, .mutex, 0xa), idle, S.other(3, .running)])) == nil)
  }

  @Test("a lock that a block left is abandoned, not held, by the next block of the same thread")
  func nextBlock() throws {
    var left = S.has(0xa, at: 9)
    left.isLeft = true
    let next = S.waiting(
      2, .mutex, 0xa, held: [left], runs: [S.run(S.defaultPool, at: 30)], pool: S.defaultPool)
    let snapshot = S.process([S.waiting(1, .group, 0xe, at: 40, isMain: true), next])
    let found = try explained(snapshot, "abandoned-by-an-earlier-block")
    #expect(
      found.evidence
        == .abandonedLock(
          Diagnosis.Object(.mutex, 0xa), by: .continued([.thread(2)]), waiters: [.thread(2)],
          chain: [], others: [.thread(1)]))
    // A task that continues on another thread may unlock.
    #expect(Diagnosis(of: S.process([next, S.other(3, .running)])) == nil)
    // The block itself holds the lock.
    var own = next
    own.held[0].isLeft = false
    #expect(Diagnosis(of: S.process([own]))?.cause == .self)
  }

  @Test(
    "a lock is not abandoned while its owner sleeps in the critical section or may still unlock"
  )
  func nearMisses() throws {
    let sleeps = S.other(2, .unknown, held: [S.has(0xa)])
    let asleep = try #require(Diagnosis(of: S.process([S.waiting(1, .mutex, 0xa), sleeps])))
    #expect(asleep.cause == .lostWakeUp)
    for elsewhere in [WaitSnapshot.Elsewhere.running, .outside] {
      // Any running thread may unlock for the thread that has ended.
      #expect(
        Diagnosis(of: Self.process([S.waiting(1, .mutex, 0xa), S.other(2, elsewhere)])) == nil)
    }
    #expect(Diagnosis(of: Self.process([S.waiting(1, .mutex, 0xa, limited: true)])) == nil)
    // The thread waits for a lock other than the abandoned one.
    let other = try #require(
      Diagnosis(of: Self.process([S.waiting(1, .semaphore, 0xb)])))
    #expect(other.cause == .lostWakeUp)
  }

  @Test("an abandoned lock is the cause when a thread joins workers that wait for it")
  func joined() throws {
    var worker = S.waiting(3, .mutex, 0xa, at: 20)
    worker.startedBy = 2
    let found = try explained(
      Self.process([
        S.waiting(1, .thread, 2, at: 30, isMain: true), S.waiting(2, .group, 0xb, at: 40), worker,
      ]), "abandoned-behind-a-join")
    #expect(
      found.evidence
        == .abandonedLock(
          Diagnosis.Object(.mutex, 0xa), by: .ended(77), waiters: [.thread(3)],
          chain: [
            Diagnosis.BlockedWait(.thread(1), .end(2), by: .thread(2)),
            Diagnosis.BlockedWait(.thread(2), .started(2), by: .thread(3)),
          ], others: []))
  }

  @Test("an abandoned lock is the cause when blocks are queued behind a thread that waits for it")
  func queued() throws {
    let found = try #require(
      Diagnosis(
        of: Self.process(
          [
            S.waiting(1, .queue, 0x10),
            S.waiting(2, .mutex, 0xa, runs: [S.run(0x10)], pool: S.overcommitPool),
          ], [S.serial(0x10, "log", blocks: [S.blocks(8)])])))
    #expect(found.cause == .abandonedLock)
    #expect(found.isCertain)
  }
}
