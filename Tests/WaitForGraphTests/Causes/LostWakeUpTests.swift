import HangReports
import Interlock
import Testing

@testable import Hangs

/// Threads that wait for a signal that no thread can send.
@Suite("A lost wake-up")
struct LostWakeUpTests {
  typealias S = Snapshots

  /// A lost signal of the object 0xa.
  private func lost(
    _ kind: WaitSnapshot.ObjectKind, waiters: [Diagnosis.Party],
    chain: [Diagnosis.BlockedWait] = []
  ) -> Diagnosis.Evidence {
    .lostSignal(
      Diagnosis.Object(kind, 0xa), waiters: waiters, chain: chain, listeners: [], others: [])
  }

  @Test("a lost wake-up of a semaphore is reported with the places of earlier signals")
  func semaphore() throws {
    let found = try explained(
      S.process(
        [
          S.waiting(1, .semaphore, 0xa, isMain: true), S.waiting(2, .semaphore, 0xa),
          S.waiting(3, .semaphore, 0xa), S.other(4, .idle, pool: S.defaultPool),
        ],
        signals: [
          WaitSnapshot.Signal(
            id: 0xa, kind: .semaphore, value: 0, created: S.line(1, "init()"), waits: 5,
            releases: 2, releasePlaces: S.line(33, "done()"))
        ]), "lost-semaphore")
    #expect(found.cause == .lostWakeUp)
    #expect(found.isCertain)
    #expect(
      found.evidence
        == lost(.semaphore, waiters: [.thread(1), .thread(2), .thread(3)]))
    #expect(found.advice == .signalForEachWait)
  }

  @Test("a lost wake-up of a semaphore that was never signalled says so")
  func neverSignalled() throws {
    let found = try explained(
      S.process(
        [S.waiting(1, .semaphore, 0xa)],
        signals: [WaitSnapshot.Signal(id: 0xa, kind: .semaphore)]), "lost-semaphore-never-signalled"
    )
    #expect(found.evidence == lost(.semaphore, waiters: [.thread(1)]))
  }

  @Test("a wait that another process may end is not certain, except in a cycle of this process")
  func shared() throws {
    var process = S.process([S.waiting(1, .semaphore, 0xa)])
    process.threads[0].wait?.isShared = true
    let found = try #require(Diagnosis(of: process))
    #expect(found.cause == .lostWakeUp)
    #expect(found.certainty == .doubtful(.unseenCode))
    var cycle = S.process([
      S.waiting(1, .mutex, 0xa, held: [S.has(0xb)]), S.waiting(2, .mutex, 0xb, held: [S.has(0xa)]),
    ])
    for index in cycle.threads.indices { cycle.threads[index].wait?.isShared = true }
    #expect(try #require(Diagnosis(of: cycle)).isCertain)
    // The lock's holder waits for a signal of another process.
    var behind = S.process([
      S.waiting(1, .mutex, 0xb), S.waiting(2, .semaphore, 0xa, held: [S.has(0xb)]),
    ])
    behind.threads[1].wait?.isShared = true
    #expect(try #require(Diagnosis(of: behind)).certainty == .doubtful(.unseenCode))
  }

  @Test("a lost wake-up of a group shows how often it was entered and left")
  func group() throws {
    let found = try explained(
      S.process(
        [S.waiting(1, .group, 0xa)],
        signals: [
          WaitSnapshot.Signal(
            id: 0xa, kind: .group, releases: 1, enters: 2, releasePlaces: S.line(7),
            enterPlaces: S.line(6))
        ]), "lost-group")
    #expect(found.isCertain)
    #expect(found.evidence == lost(.group, waiters: [.thread(1)]))
    #expect(found.advice == .leaveOnEveryWayOut)
  }

  private func advice(_ snapshot: WaitSnapshot) throws -> [String] {
    Explanation(try #require(Diagnosis(of: snapshot)), of: snapshot).advice
  }

  @Test("a lost wake-up has no advice if the code that has to signal may just not have run yet")
  func noAdvice() throws {
    var plain = S.process([S.waiting(1, .semaphore, 0xa)])
    #expect(
      try advice(plain) == ["safe when: the code that has to signal does so on every path"])
    plain.isPartial = true
    #expect(try advice(plain).isEmpty)
    // The end of an operation that is queued behind the waiting operation would signal.
    var operation = S.waiting(1, .condition, 0xa)
    operation.stack =
      [
        StackFrame(address: 1, function: "Operation.waitUntilFinished()", image: "libFoundation.so")
      ] + S.line(10)
    #expect(try advice(S.process([operation])).isEmpty)
    let ended = WaitSnapshot.Signal(id: 0xa, kind: .condition)
    #expect(try advice(S.process([operation], signals: [ended])).isEmpty)
    // Without a stack, the condition may belong to an operation, and the lock to an initialiser.
    let unseen = S.waiting(1, .condition, 0xa)
    #expect(try advice(S.process([unseen], signals: [ended])).isEmpty)
    #expect(try advice(S.process([S.waiting(1, .mutex, 0xc)])).isEmpty)
    let made = WaitSnapshot.Signal(id: 0xc, kind: .mutex, created: S.line(3))
    let unlock = "safe when: the code that locks it unlocks it on every path, on the same thread"
    #expect(try advice(S.process([S.waiting(1, .mutex, 0xc)], signals: [made])) == [unlock])
    // A block would leave the group at its own end.
    let inside = S.waiting(1, .group, 0xb, runs: [S.run(0x10, at: 5)])
    let group = WaitSnapshot.Signal(
      id: 0xb, kind: .group, enters: 1, enterPlaces: S.line(6, "begin()"))
    let leaves = S.process([inside], [S.serial(0x10, "operations")], signals: [group])
    #expect(try advice(leaves).isEmpty)
    let outside = S.process([S.waiting(1, .group, 0xb)], signals: [group])
    #expect(
      try advice(outside) == ["safe when: the code that entered the group leaves it on every path"])
  }

  @Test(
    "a lost wake-up of a condition is the cause, and not the wait for a lock that its waiter holds"
  )
  func condition() throws {
    let found = try explained(
      S.process([
        S.waiting(1, .condition, 0xa, held: [S.has(0xb)]), S.waiting(2, .condition, 0xa),
        S.waiting(3, .mutex, 0xb),
      ]), "lost-condition")
    #expect(found.isCertain)
    #expect(
      found.evidence
        == lost(
          .condition, waiters: [.thread(1), .thread(2)],
          chain: [Diagnosis.BlockedWait(.thread(3), .lock(0xb), by: .thread(1))]))
    #expect(found.advice == .checkUnderMutex)
  }

  @Test(
    "a wait is no lost wake-up while a thread could send the signal",
    arguments: [WaitSnapshot.ObjectKind.semaphore, .group, .condition, .futex, .workItem])
  func nearMisses(kind: WaitSnapshot.ObjectKind) throws {
    let waiting = S.waiting(1, kind, 0xa)
    for elsewhere in [WaitSnapshot.Elsewhere.running, .outside] {
      #expect(Diagnosis(of: S.process([waiting, S.other(2, elsewhere)])) == nil)
    }
    #expect(
      Diagnosis(of: S.process([waiting, S.waiting(2, .semaphore, 0xb, limited: true)])) == nil)
    // A block is queued, and the pool has a thread for it.
    #expect(
      Diagnosis(of: S.process([waiting], [S.serial(0x10, "q", blocks: [S.blocks()])])) == nil)
    var timer = S.process([waiting])
    timer.nextTimer = 2
    #expect(try #require(Diagnosis(of: timer)).isCertain == false)
    var partial = S.process([waiting])
    partial.isPartial = true
    #expect(try #require(Diagnosis(of: partial)).isCertain == false)
  }

  @Test("threads that sleep for an unknown reason are an uncertain hang of unknown cause")
  func unknownSleepers() throws {
    let found = try explained(S.process([S.other(1, .unknown)]), "unknown-sleeper")
    #expect(found.evidence == .asleep([.thread(1)]))
    #expect(found.cause == .unknown)
    #expect(!found.isCertain)
    #expect(Diagnosis(of: S.process([S.other(1, .idle), S.other(2, .listening)])) == nil)
    #expect(Diagnosis(of: S.process([S.other(1, .unknown), S.other(2, .running)])) == nil)
    #expect(Diagnosis(of: S.process([])) == nil)
  }

  @Test("a lock that no thread is known to hold is a lost wake-up")
  func forgottenLock() throws {
    let ended = try explained(S.process([S.waiting(1, .mutex, 0xa)]), "lost-unlock")
    #expect(ended.isCertain)
    #expect(ended.evidence == lost(.mutex, waiters: [.thread(1)]))
    #expect(ended.advice == .unlockOnEveryWayOut)
    // The cause names a holder that waits, here together with a thread that waits for none of its
    // locks.
    let waits = S.process([
      S.waiting(1, .mutex, 0xa), S.waiting(2, .semaphore, 0xb, held: [S.has(0xa)]),
      S.waiting(3, .semaphore, 0xc),
    ])
    guard case .lostSignal(let object, _, _, _, _)? = Diagnosis(of: waits)?.evidence else {
      Issue.record("no lost wake-up")
      return
    }
    #expect(object == Diagnosis.Object(.semaphore, 0xb))
  }

  @Test("a concurrentPerform whose parts are stuck is a lost wake-up")
  func apply() throws {
    let part = S.run(S.defaultPool, apply: true)
    let found = try #require(
      Diagnosis(
        of: S.process([
          S.waiting(1, .queue, S.defaultPool, held: [S.has(0xa)], apply: true),
          S.waiting(2, .mutex, 0xa, runs: [part], pool: S.defaultPool),
        ])))
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    // The thread is in a part itself, or the parts of other threads continue.
    #expect(
      Diagnosis(
        of: S.process([
          S.waiting(1, .queue, S.defaultPool, held: [S.has(0xa)], runs: [part], apply: true),
          S.waiting(2, .mutex, 0xa, runs: [part], pool: S.defaultPool),
        ])) == nil)
    #expect(
      Diagnosis(
        of: S.process([
          S.waiting(1, .queue, S.defaultPool, apply: true),
          S.other(2, .running, runs: [part], pool: S.defaultPool),
        ])) == nil)
  }
}
