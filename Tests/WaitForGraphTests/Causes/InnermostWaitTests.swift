import Interlock
import Testing

@testable import WaitForGraph

/// Threads that wait for others which wait for something else.
@Suite("The innermost wait")
struct InnermostWaitTests {
  typealias S = Snapshots

  @Test("the wait of a worker is the cause, and not that of the thread which joins it")
  func startedThread() throws {
    var worker = S.waiting(2, .semaphore, 0xb, at: 20)
    worker.startedBy = 1
    let found = try #require(
      Diagnosis(of: S.process([S.waiting(1, .semaphore, 0xa, at: 10, isMain: true), worker])))
    #expect(found.cause == .lostWakeUp)
    #expect(
      found.headline == "no thread is left that could signal the semaphore that thread 2 waits for")
    #expect(
      found.details.prefix(2) == [
        "thread 1 (main) waits for semaphore 0xa at Cache.swift:10  get(_:), and has started "
          + "thread 2", "thread 2 waits for semaphore 0xb at Cache.swift:20  get(_:)",
      ])
    #expect(found.nodes.first { $0.id == "t2" }?.isMarked ?? false)
    #expect(found.nodes.first { $0.id == "t1" }?.isMarked == false)
  }

  @Test("both waits are the cause if a thread and one that it started wait for the same signal")
  func startedFellow() throws {
    var worker = S.waiting(2, .semaphore, 0xa)
    worker.startedBy = 1
    let found = try #require(Diagnosis(of: S.process([S.waiting(1, .semaphore, 0xa), worker])))
    #expect(found.cause == .lostWakeUp)
    #expect(found.headline.hasSuffix("that 2 threads wait for"))
  }

  @Test("the wait in a group's block is the cause, and not that of the thread which enqueued it")
  func enqueuedBlock() throws {
    let block = S.waiting(
      2, .condition, 0xb, runs: [S.run(0x10, by: 1)], pool: S.overcommitPool)
    let found = try #require(
      Diagnosis(of: S.process([S.waiting(1, .group, 0xa), block], [S.serial(0x10, "q")])))
    #expect(found.cause == .lostWakeUp)
    #expect(found.headline.hasPrefix("no thread is left that could wake the condition"))
  }

  @Test("the wait of a holder is the cause, and not those of the threads that wait for its lock")
  func holder() throws {
    let found = try #require(
      Diagnosis(
        of: S.process([
          S.waiting(1, .semaphore, 0xc, held: [S.has(0xa)]), S.waiting(2, .mutex, 0xa),
          S.waiting(3, .mutex, 0xa), S.waiting(4, .semaphore, 0xd),
        ])))
    #expect(found.cause == .lostWakeUp)
    #expect(found.headline.hasSuffix("that thread 1 waits for"))
    #expect(found.details.contains { $0.hasPrefix("thread 2 waits for mutex 0xa") })
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
    #expect(found.cause == .lostWakeUp)
    #expect(found.headline.hasSuffix("that thread 1 waits for"))
  }

  @Test("two waiters of one signal, of which a group waits for one, are a lost wake-up, no cycle")
  func oneSignalForTwo() throws {
    var run = S.run(0x10, by: 1)
    run.group = 0xb
    let waiter = S.waiting(2, .semaphore, 0xc, runs: [run], pool: S.overcommitPool)
    let found = try #require(
      Diagnosis(of: S.process([S.waiting(1, .group, 0xb), waiter], [S.serial(0x10, "reader")])))
    #expect(found.cause == .lostWakeUp)
    #expect(found.headline.contains("the semaphore that thread 2 waits for"))
  }

  @Test("two threads that enqueued blocks for each other and wait for one signal are no cycle")
  func blocksOfEachOther() throws {
    let threads = [(2, 3), (3, 2)].map { id, by in
      S.waiting(id, .semaphore, 0xc, runs: [S.run(0x11, by: by)], pool: S.defaultPool)
    }
    let found = try #require(Diagnosis(of: S.process(threads, [S.concurrent(0x11, "q")])))
    #expect(found.cause == .lostWakeUp)
    #expect(found.headline.contains("2 threads wait for"))
  }

  @Test("a wait under a lock is a lost wake-up if others acquire the lock at that line to wait too")
  func fellowWaiters() throws {
    // Both take the lock at one line, to wait for the same.
    let waiter = S.waiting(1, .semaphore, 0xc, held: [S.has(0xa, at: 5)])
    var fellow = S.waiting(2, .mutex, 0xa)
    fellow.wait?.place = S.line(5, "take()")
    #expect(try #require(Diagnosis(of: S.process([waiter, fellow]))).cause == .lostWakeUp)
    // Elsewhere it may be the one that signals.
    fellow.wait?.place = S.line(6, "put()")
    #expect(try #require(Diagnosis(of: S.process([waiter, fellow]))).cause == .cycle)
  }

  @Test("a wait of the main thread is reported with the thread that holds what it waits for")
  func mainQueue() throws {
    let main = S.waiting(1, .mutex, 0xa, at: 10, isMain: true)
    let holder = S.waiting(2, .semaphore, 0xb, at: 20, held: [S.has(0xa, at: 5)])
    var snapshot = S.process([main, holder])
    let queue = snapshot.queues.firstIndex { $0.isMain } ?? 0
    snapshot.queues[queue].queued = 1
    snapshot.queues[queue].blocks = [S.blocks(at: 19, by: [2])]
    let found = try #require(Diagnosis(of: snapshot))
    #expect(found.cause == .starvation)
    #expect(
      found.details.contains(
        "thread 1 (main) waits for mutex 0xa at Cache.swift:10  get(_:), which thread 2 holds"
          + " since Cache.swift:5  take()"))
  }
}
