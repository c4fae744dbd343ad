import HangReports
import Interlock
import Testing

@testable import Hangs

/// Pools whose threads all wait, with queued blocks that cannot begin.
@Suite("Starvation")
struct StarvationTests {
  typealias S = Snapshots

  /// TMCache's test: callers on one concurrent queue wait for blocks that they enqueued on another
  /// queue.
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

  /// The dry pool of a diagnosis.
  private func pool(_ found: Diagnosis) throws -> Diagnosis.Starvation {
    guard case .starvation(let pool) = found.evidence else {
      throw Unexpected(evidence: found.evidence)
    }
    return pool
  }

  /// Thrown if the cause is no starvation.
  private struct Unexpected: Error {
    var evidence: Diagnosis.Evidence
  }

  @Test(
    "starvation of the default pool shows the threads that it needs, here and on Apple's systems"
  )
  func defaultPool() throws {
    let found = try explained(Self.cache(running: 4, queued: 996), "starvation-of-a-pool")
    let pool = try pool(found)
    #expect(found.cause == .starvation)
    #expect(pool.pool == .root(S.defaultPool))
    #expect(pool.workers == (10..<14).map { .thread($0) })
    #expect(pool.threads == 4)
    #expect(pool.mostThreads == 255)
    #expect(pool.grows)
    #expect(pool.queues == [0x20, 0x21])
    #expect(pool.queued == 1_000)
    #expect(
      pool.needed
        == Diagnosis.Starvation.NeededBlocks(
          queue: 0x21, count: 4, ahead: 996, waiters: pool.workers, isOwn: true))
    #expect(pool.forecast?.needed == 1_001)
    #expect(pool.forecast?.completesHere == false)
    #expect(pool.forecast?.completesOnApple == false)
    #expect(found.advice == .needOneThread)
    // The plain pool grows by one thread per second.
    #expect(found.certainty == .doubtful(.poolGrows))
  }

  @Test("starvation of a pool that may grow far enough shows after how long it ends")
  func grows() throws {
    let found = try explained(Self.cache(running: 3, queued: 5), "starvation-that-ends")
    #expect(!found.isCertain)
    #expect(found.pool?.needed == 9)
    #expect(found.pool?.threads == 3)
    #expect(found.pool?.seconds == 6)
    #expect(found.pool?.completesHere == true)
    #expect(found.pool?.completesOnApple == true)
  }

  @Test("starvation of a plain pool at its limit is certain")
  func atTheLimit() throws {
    let found = try explained(Self.cache(running: 255, queued: 745), "starvation-at-the-limit")
    #expect(found.isCertain)
    #expect(try pool(found).workers.count == 255)
    #expect(try pool(found).threads == 255)
    #expect(try !pool(found).grows)
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
    #expect(found.isCertain)
    #expect(try pool(found).pool == .root(S.overcommitPool))
    #expect(found.pool?.mostOnApple == 512)
    #expect(found.pool?.completesHere == false)
    #expect(found.pool?.completesOnApple == true)
    let text = Explanation(found, of: snapshot(255))
    #expect(text.headline.contains("threads of the default overcommit pool wait"))
    #expect(text.advice[1] == "never completes here, but within Apple's limit of 512 threads")
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
    let found = try explained(snapshot(2), "starvation-of-tasks")
    #expect(found.isCertain)
    #expect(try pool(found).pool == .tasks(0x30))
    #expect(try pool(found).mostThreads == 2)
    #expect(try pool(found).needed?.isOwn == true)
    #expect(found.advice == .awaitInTask)
    // One job waits, and the other thread runs the code that it waits for.
    #expect(Diagnosis(of: snapshot(1)) == nil)
  }

  @Test("blocks or calls that wait for a main thread which waits for them are a starvation")
  func mainQueue() throws {
    var main = S.roots
    main[2].queued = 1
    main[2].blocks = [S.blocks(by: [5])]
    let waiting = S.waiting(1, .semaphore, 0xa, isMain: true)
    let blocks = try explained(
      WaitSnapshot(threads: [waiting], queues: main), "starvation-of-the-main-queue")
    #expect(blocks.isCertain)
    #expect(try pool(blocks).pool == .main)
    #expect(try pool(blocks).queued == 1)
    #expect(try pool(blocks).needed == nil)
    #expect(blocks.advice == .keepMainThreadFree)
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

  @Test("a block that waits for a later block of its own serial queue is a starvation")
  func serial() throws {
    let found = try explained(
      S.process(
        [S.waiting(7, .semaphore, 0xa, runs: [S.run(0x10)], pool: S.overcommitPool)],
        [S.serial(0x10, "cache", blocks: [S.blocks(by: [7])])]), "starvation-of-a-serial-queue")
    #expect(found.isCertain)
    #expect(try pool(found).pool == .queue(0x10))
    #expect(try pool(found).needed?.isOwn == true)
    #expect(found.advice == .waitForNoLaterBlock)
  }

  @Test("starvation shows the threads that enqueued the blocks, even outside the pool")
  func anothersBlock() throws {
    var snapshot = Self.cache(running: 255, queued: 3, needed: 1)
    snapshot.queues[4].blocks[0].enqueuedBy = [9]
    let other = try pool(explained(snapshot, "starvation-that-another-waits-for"))
    #expect(other.queued == 4)
    #expect(
      other.needed
        == Diagnosis.Starvation.NeededBlocks(
          queue: 0x20, count: 3, ahead: 0, waiters: [.thread(1)], isOwn: false))
    snapshot.queues[4].blocks[0].enqueuedBy = [10, 11]
    let own = try pool(explained(snapshot, "starvation-that-two-wait-for"))
    #expect(own.needed?.queue == 0x21)
    #expect(own.needed?.waiters == [.thread(10), .thread(11)])
    #expect(own.needed?.isOwn == true)
  }

  @Test("blocks of a concurrent queue behind a barrier that cannot begin are a starvation")
  func barrier() throws {
    let found = try explained(
      S.process(
        [S.waiting(7, .semaphore, 0xa, runs: [S.run(0x10)], pool: S.defaultPool)],
        [S.concurrent(0x10, "cache", blocks: [S.blocks(by: [7], barrier: true)])]),
      "starvation-behind-a-barrier")
    #expect(found.isCertain)
    #expect(try pool(found).pool == .queue(0x10))
    #expect(found.advice == .waitForNothingBehindBarrier)
    // A plain block would begin beside the other one.
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
    // The target of the queue of the blocks is not known.
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
    let found = try explained(partial, "starvation-beside-unseen-code")
    #expect(found.cause == .starvation)
    #expect(found.certainty == .doubtful(.unseenCode))
  }
}
