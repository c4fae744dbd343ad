import Interlock
import Testing

@testable import Hangs

/// Threads that wait for other threads, which wait for something else.
@Suite("The innermost wait")
struct InnermostWaitTests {
  typealias S = Snapshots

  /// The threads that wait for a lost signal; `nil` if the cause is another one.
  private func waiters(_ found: Diagnosis) -> [Diagnosis.Party]? {
    if case .lostSignal(_, let waiters, _, _, _) = found.evidence { waiters } else { nil }
  }

  /// The object that the threads wait for.
  private func object(_ found: Diagnosis) -> Diagnosis.Object? {
    if case .lostSignal(let object, _, _, _, _) = found.evidence { object } else { nil }
  }

  @Test("the wait of a worker is the cause, and not the wait of the thread that joins it")
  func startedThread() throws {
    var worker = S.waiting(2, .semaphore, 0xb, at: 20)
    worker.startedBy = 1
    let found = try explained(
      S.process([S.waiting(1, .semaphore, 0xa, at: 10, isMain: true), worker]),
      "lost-behind-a-started-thread")
    #expect(found.cause == .lostWakeUp)
    #expect(
      found.evidence
        == .lostSignal(
          Diagnosis.Object(.semaphore, 0xb), waiters: [.thread(2)],
          chain: [Diagnosis.BlockedWait(.thread(1), .started(1), by: .thread(2))], listeners: [],
          others: []))
    #expect(found.nodes.first { $0.id == .party(.thread(2)) }?.isMarked ?? false)
    #expect(found.nodes.first { $0.id == .party(.thread(1)) }?.isMarked == false)
  }

  @Test("a lock is the cause if its holder joins threads that wait for the lock")
  func joinedUnderLock() throws {
    var worker = S.waiting(2, .mutex, 0xa, at: 20)
    var joiner = S.waiting(3, .semaphore, 0xb, at: 30)
    worker.startedBy = 1
    joiner.startedBy = 1
    let found = try explained(
      S.process([
        S.waiting(1, .group, 0xc, at: 10, isMain: true, held: [S.has(0xa)]), worker, joiner,
      ]), "joined-under-lock")
    #expect(
      found.evidence
        == .cycle(
          [
            Diagnosis.BlockedWait(.thread(1), .started(1), by: .thread(2)),
            Diagnosis.BlockedWait(.thread(2), .lock(0xa), by: .thread(1)),
          ], others: [.thread(3)]))
    // The joined thread may have started the thread that waits for the lock.
    joiner.startedBy = 1
    worker.startedBy = 3
    let chain = try #require(
      Diagnosis(
        of: S.process([
          S.waiting(1, .group, 0xc, isMain: true, held: [S.has(0xa)]), worker, joiner,
          S.waiting(4, .semaphore, 0xd),
        ])))
    #expect(chain.cause == .cycle)
  }

  @Test("both waits are the cause if a thread and a thread that it started wait for one signal")
  func startedFellow() throws {
    var worker = S.waiting(2, .semaphore, 0xa)
    worker.startedBy = 1
    let found = try #require(Diagnosis(of: S.process([S.waiting(1, .semaphore, 0xa), worker])))
    #expect(waiters(found) == [.thread(1), .thread(2)])
  }

  @Test("the wait in a group's block is the cause, and not the wait of the thread that enqueued it")
  func enqueuedBlock() throws {
    let block = S.waiting(
      2, .condition, 0xb, runs: [S.run(0x10, by: 1)], pool: S.overcommitPool)
    let found = try #require(
      Diagnosis(of: S.process([S.waiting(1, .group, 0xa), block], [S.serial(0x10, "q")])))
    #expect(object(found) == Diagnosis.Object(.condition, 0xb))
  }

  @Test("the wait of a holder is the cause, and not the waits for the holder's lock")
  func holder() throws {
    let found = try explained(
      S.process([
        S.waiting(1, .semaphore, 0xc, held: [S.has(0xa)]), S.waiting(2, .mutex, 0xa),
        S.waiting(3, .mutex, 0xa), S.waiting(4, .semaphore, 0xd),
      ]), "lost-behind-a-holder")
    #expect(
      found.evidence
        == .lostSignal(
          Diagnosis.Object(.semaphore, 0xc), waiters: [.thread(1)],
          chain: [3, 2].map { Diagnosis.BlockedWait(.thread($0), .lock(0xa), by: .thread(1)) },
          listeners: [], others: [.thread(4)]))
  }

  @Test("the holder that blocks a queue's thread is the cause, and not the blocks behind it")
  func serialQueue() throws {
    let found = try #require(
      Diagnosis(
        of: S.process(
          [
            S.waiting(1, .semaphore, 0xc, held: [S.has(0xa)]),
            S.waiting(2, .mutex, 0xa, runs: [S.run(0x10)], pool: S.overcommitPool),
            S.waiting(3, .semaphore, 0xd),
          ], [S.serial(0x10, "log", blocks: [S.blocks(3, by: [99])])])))
    #expect(waiters(found) == [.thread(1)])
  }

  @Test("two waiters of one signal, one of them in a group, are a lost wake-up and no cycle")
  func oneSignalForTwo() throws {
    var run = S.run(0x10, by: 1)
    run.group = 0xb
    let waiter = S.waiting(2, .semaphore, 0xc, runs: [run], pool: S.overcommitPool)
    let found = try #require(
      Diagnosis(of: S.process([S.waiting(1, .group, 0xb), waiter], [S.serial(0x10, "reader")])))
    #expect(object(found) == Diagnosis.Object(.semaphore, 0xc))
    #expect(waiters(found) == [.thread(2)])
  }

  @Test("two threads that enqueued blocks for each other and wait for one signal are no cycle")
  func blocksOfEachOther() throws {
    let threads = [(2, 3), (3, 2)].map { id, by in
      S.waiting(id, .semaphore, 0xc, runs: [S.run(0x11, by: by)], pool: S.defaultPool)
    }
    let found = try #require(Diagnosis(of: S.process(threads, [S.concurrent(0x11, "q")])))
    #expect(waiters(found) == [.thread(2), .thread(3)])
  }

  @Test("a wait under a lock is a lost wake-up if other threads take the lock there to wait too")
  func fellowWaiters() throws {
    // Both threads take the lock at one line, and wait for the same object.
    let waiter = S.waiting(1, .semaphore, 0xc, held: [S.has(0xa, at: 5)])
    var fellow = S.waiting(2, .mutex, 0xa)
    fellow.wait?.place = S.line(5, "take()")
    #expect(try #require(Diagnosis(of: S.process([waiter, fellow]))).cause == .lostWakeUp)
    // At another line, the other thread may be the one that signals.
    fellow.wait?.place = S.line(6, "put()")
    #expect(try #require(Diagnosis(of: S.process([waiter, fellow]))).cause == .cycle)
  }

  @Test("a wait of the main thread is reported with the thread that holds the lock")
  func mainQueue() throws {
    let main = S.waiting(1, .mutex, 0xa, at: 10, isMain: true)
    let holder = S.waiting(2, .semaphore, 0xb, at: 20, held: [S.has(0xa, at: 5)])
    var snapshot = S.process([main, holder])
    let queue = snapshot.queues.firstIndex { $0.isMain } ?? 0
    snapshot.queues[queue].queued = 1
    snapshot.queues[queue].blocks = [S.blocks(at: 19, by: [2])]
    let found = try explained(snapshot, "starvation-behind-a-holder")
    guard case .starvation(let pool) = found.evidence else {
      Issue.record("no starvation: \(found.evidence)")
      return
    }
    #expect(
      pool.chain == [Diagnosis.BlockedWait(.thread(1), .lock(0xa), by: .thread(2))])
    #expect(pool.innermost == .thread(2))
  }
}
