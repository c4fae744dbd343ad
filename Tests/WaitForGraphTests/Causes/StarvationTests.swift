import Interlock
import Testing

@testable import WaitForGraph

/// Pools whose threads all wait, with queued blocks that cannot begin.
@Suite("Starvation")
struct StarvationTests {
  typealias S = Snapshots

  /// TMCache's test: callers on one concurrent queue wait for blocks that they have enqueued on
  /// another.
  static func cache(running: Int, queued: Int, needed: Int? = nil) -> WaitSnapshot {
    let ids = (0..<running).map { 10 + $0 }
    return S.process(
      [S.waiting(1, .group, 0xe, at: 90, isMain: true)]
        + ids.map {
          S.waiting(
            $0, .semaphore, UInt(0x1000 + $0), at: 61, runs: [S.run(0x20, at: 80, by: 1)],
            pool: S.defaultPool)
        },
      [
        S.concurrent(
          0x20, "test queue", blocks: queued > 0 ? [S.blocks(queued, at: 80, by: [1])] : []),
        S.concurrent(
          0x21, "cache",
          blocks: [S.blocks(needed ?? running, at: 60, by: ids, ahead: queued)]),
      ])
  }

  @Test(
    "starvation of the default pool shows the threads that it needs, here and on Apple's systems"
  )
  func defaultPool() throws {
    let found = try #require(Diagnosis(of: Self.cache(running: 4, queued: 996)))
    #expect(found.cause == .starvation)
    #expect(
      found.headline
        == "4 of 4 threads of the default pool wait, and what they wait for is queued behind them")
    #expect(
      found.details == [
        "996 blocks queued on \"test queue\" (concurrent, default pool); 4 running, "
          + "each waits for a semaphore  Cache.swift:61  get(_:)",
        "4 blocks queued on \"cache\"",
        "each waits for a block queued on \"cache\" (concurrent, default pool), "
          + "positions 997 and after",
        "not certain: the pool gets one thread more a second while all of its threads wait",
      ])
    #expect(
      found.advice == [
        "frees it: 996 blocks that will wait, too, are queued first, so it needs 1,001 threads "
          + "(this pool: 4 now, 255 at most)",
        "never completes here, nor within Apple's limit of 64 threads",
        "safe when: the synchronous call does not need a second thread of the pool it runs on",
      ])
    // The plain pool grows by a thread a second.
    #expect(!found.isCertain)
  }

  @Test("starvation of a pool that may grow far enough shows after how long it ends")
  func grows() throws {
    let found = try #require(Diagnosis(of: Self.cache(running: 3, queued: 5)))
    #expect(!found.isCertain)
    #expect(found.advice[0].contains("needs 9 threads (this pool: 3 now, 255 at most)"))
    #expect(
      found.advice[1] == "completes here after about 6 s, and within Apple's limit of 64 threads")
  }

  @Test("starvation of a plain pool at its limit is certain")
  func atTheLimit() throws {
    let found = try #require(Diagnosis(of: Self.cache(running: 255, queued: 745)))
    #expect(found.cause == .starvation)
    #expect(found.isCertain)
    #expect(found.headline.hasPrefix("255 of 255 threads of the default pool wait"))
  }

  @Test("starvation of the overcommit pool is certain at 255 threads; below there is none")
  func overcommit() throws {
    func snapshot(_ count: Int) -> WaitSnapshot {
      let queues = (0..<count).map { S.serial(UInt(0x1000 + $0), "q\($0)") }
      return S.process(
        (0..<count).map {
          S.waiting(
            10 + $0, .semaphore, UInt(0x9000 + $0), runs: [S.run(UInt(0x1000 + $0))],
            pool: S.overcommitPool)
        }, queues + [S.serial(0x2000, "one more", blocks: [S.blocks(at: 4, by: [10])])])
    }
    let found = try #require(Diagnosis(of: snapshot(255)))
    #expect(found.cause == .starvation)
    #expect(found.isCertain)
    #expect(found.headline.contains("threads of the default overcommit pool wait"))
    #expect(found.advice[1] == "never completes here, but within Apple's limit of 512 threads")
    #expect(Diagnosis(of: snapshot(254)) == nil)
  }

  static let tasks = WaitIndex.taskQueueLabel

  @Test("starvation of the Swift task pool is certain, since it never grows")
  func taskPool() throws {
    func snapshot(_ count: Int) -> WaitSnapshot {
      S.process(
        (0..<count).map {
          S.waiting(
            10 + $0, .semaphore, UInt(0x9000 + $0), runs: [S.run(0x30, job: true)],
            pool: S.defaultPool)
        },
        [S.concurrent(0x30, Self.tasks, width: 2, blocks: [S.blocks(3, by: [10], job: true)])])
    }
    let found = try #require(Diagnosis(of: snapshot(2)))
    #expect(found.cause == .starvation)
    #expect(found.isCertain)
    #expect(found.headline.hasPrefix("2 of 2 threads of the Swift task pool wait, and what they"))
    #expect(found.details[0].hasPrefix("3 jobs queued on \"Swift global concurrent queue\""))
    #expect(found.advice[0].contains("one thread for each processor (2 for a priority)"))
    // One job waits: the other thread runs what it waits for.
    #expect(Diagnosis(of: snapshot(1)) == nil)
  }

  @Test("blocks or calls that wait for a main thread which waits for them are a starvation")
  func mainQueue() throws {
    var main = S.roots
    main[2].queued = 1
    main[2].blocks = [S.blocks(by: [5])]
    let waiting = S.waiting(1, .semaphore, 0xa, isMain: true)
    let blocks = try #require(
      Diagnosis(of: WaitSnapshot(threads: [waiting], queues: main)))
    #expect(blocks.cause == .starvation)
    #expect(blocks.isCertain)
    #expect(blocks.headline == "the main thread waits, and 1 block is queued behind it")
    let call = try #require(
      Diagnosis(
        of: S.process([
          S.waiting(1, .group, 0xa, isMain: true),
          S.waiting(2, .queue, S.mainQueue, runs: [S.run(0x10, by: 1)], pool: S.defaultPool),
        ])))
    #expect(call.cause == .starvation)
    #expect(call.isCertain)
    // A main thread that serves its queue takes the block.
    #expect(
      Diagnosis(
        of: WaitSnapshot(
          threads: [S.other(1, .listening, isMain: true), S.waiting(2, .semaphore, 0xa)],
          queues: main)) == nil)
  }

  @Test("a block that waits for a later one of its own serial queue is a starvation")
  func serial() throws {
    let found = try #require(
      Diagnosis(
        of: S.process(
          [S.waiting(7, .semaphore, 0xa, runs: [S.run(0x10)], pool: S.overcommitPool)],
          [S.serial(0x10, "cache", blocks: [S.blocks(by: [7])])])))
    #expect(found.cause == .starvation)
    #expect(found.isCertain)
    #expect(
      found.headline
        == "the thread on queue \"cache\" waits, and what it waits for is queued behind it")
  }

  @Test("starvation shows the threads that enqueued the blocks, even outside the pool")
  func anothersBlock() throws {
    var snapshot = Self.cache(running: 255, queued: 3, needed: 1)
    snapshot.queues[4].blocks[0].enqueuedBy = [9]
    let found = try #require(Diagnosis(of: snapshot))
    #expect(
      found.headline
        == "255 of 255 threads of the default pool wait, and 4 blocks are queued behind them")
    #expect(
      found.details.contains(
        "thread 1 (main) waits for a block queued on \"test queue\" (concurrent, default pool), "
          + "positions 1 and after"))
    snapshot.queues[4].blocks[0].enqueuedBy = [10, 11]
    #expect(
      try #require(Diagnosis(of: snapshot)).details.contains {
        $0.hasPrefix("2 of them wait for a block queued on \"cache\"")
      })
  }

  @Test("blocks of a concurrent queue behind a barrier that cannot begin are a starvation")
  func barrier() throws {
    let found = try #require(
      Diagnosis(
        of: S.process(
          [S.waiting(7, .semaphore, 0xa, runs: [S.run(0x10)], pool: S.defaultPool)],
          [S.concurrent(0x10, "cache", blocks: [S.blocks(by: [7], barrier: true)])])))
    #expect(found.cause == .starvation)
    #expect(found.isCertain)
    #expect(found.advice[0].contains("a barrier is alone on queue \"cache\""))
    // A plain block would begin beside it.
    #expect(
      Diagnosis(
        of: S.process(
          [S.waiting(7, .semaphore, 0xa, runs: [S.run(0x10)], pool: S.defaultPool)],
          [S.concurrent(0x10, "cache", blocks: [S.blocks(by: [7])])])) == nil)
  }

  @Test("a thread that calls a queue whose blocks cannot begin is stuck too")
  func callBehindBlocks() throws {
    var snapshot = Self.cache(running: 255, queued: 3)
    snapshot.queues.append(S.serial(0x40, "plain", target: S.defaultPool, blocks: [S.blocks()]))
    snapshot.threads.append(S.waiting(900, .queue, 0x40))
    let index = WaitIndex(snapshot)
    #expect(Liveness(index, hope: .all).stuck.count == 257)
  }

  @Test("a pool with a worker that runs or is idle, or without its first threads, does not starve")
  func nearMisses() {
    var idle = Self.cache(running: 4, queued: 9)
    idle.threads.append(S.other(50, .idle, pool: S.defaultPool))
    #expect(Diagnosis(of: idle) == nil)
    var runs = Self.cache(running: 255, queued: 9)
    runs.threads[7].wait = nil
    runs.threads[7].elsewhere = .running
    #expect(Diagnosis(of: runs) == nil)
    #expect(Diagnosis(of: Self.cache(running: 1, queued: 9)) == nil)
    var limited = Self.cache(running: 255, queued: 9)
    limited.threads[7].wait?.hasTimeLimit = true
    #expect(Diagnosis(of: limited) == nil)
    // The target of its blocks is not known.
    var unknown = Self.cache(running: 255, queued: 9)
    for number in unknown.queues.indices where !unknown.queues[number].isRoot {
      unknown.queues[number].target = nil
    }
    #expect(Diagnosis(of: unknown) == nil)
  }

  @Test(
    "starvation is not certain while a timer is set, a block is delayed, or something is not seen"
  )
  func mayBeWoken() throws {
    var timer = Self.cache(running: 255, queued: 9)
    timer.nextTimer = 1
    #expect(try #require(Diagnosis(of: timer)).isCertain == false)
    var delayed = Self.cache(running: 255, queued: 9)
    delayed.queues[3].delayed = 1
    #expect(try #require(Diagnosis(of: delayed)).isCertain == false)
    var partial = Self.cache(running: 255, queued: 9)
    partial.isPartial = true
    let found = try #require(Diagnosis(of: partial))
    #expect(!found.isCertain)
    #expect(found.cause == .starvation)
    #expect(found.details.last == "not certain: something may run here that was not seen")
  }
}
