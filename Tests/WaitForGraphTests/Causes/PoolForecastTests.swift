import HangReports
import Interlock
import Testing

@testable import Hangs

/// The number of threads that a dry pool needs, and when it certainly cannot have them.
@Suite("The forecast of a dry pool")
struct PoolForecastTests {
  typealias S = Snapshots

  /// Callers wait for their own blocks, which are behind all other callers: TMCache's test as seen
  /// inside a process, where the code of blocks and the history of semaphores are known.
  private static func callers(running: Int, queued: Int, keepsOrder: Bool = true) -> WaitSnapshot {
    var snapshot = StarvationTests.cache(running: running, queued: queued)
    for number in snapshot.threads.indices where !snapshot.threads[number].runs.isEmpty {
      snapshot.threads[number].runs[0].code = 7
      guard let wait = snapshot.threads[number].wait else { continue }
      snapshot.signals.append(
        WaitSnapshot.Signal(
          id: wait.object, kind: .semaphore, value: 0, created: S.line(60), waits: 1))
    }
    for number in snapshot.queues.indices where snapshot.queues[number].label == "test queue" {
      snapshot.queues[number].keepsOrder = keepsOrder
      for block in snapshot.queues[number].blocks.indices {
        snapshot.queues[number].blocks[block].code = 7
      }
    }
    return snapshot
  }

  /// Readers call a queue that a barrier behind all other readers closes.
  private static func readers(running: Int, queued: Int) -> WaitSnapshot {
    let ids = (0..<running).map { 10 + $0 }
    var root = S.roots
    root[0].keepsOrder = true
    root[0].queued = queued
    root[0].blocks = [S.blocks(queued, at: 80, by: [1])]
    root[0].blocks[0].code = 7
    var run = S.run(S.defaultPool, at: 80, by: 1)
    run.code = 7
    return WaitSnapshot(
      threads: [S.waiting(1, .group, 0xe, at: 90, isMain: true)]
        + ids.map { S.waiting($0, .queue, 0x21, at: 61, runs: [run], pool: S.defaultPool) },
      queues: root + [
        S.concurrent(
          0x21, "table", blocks: [S.blocks(running, at: 60, by: ids, barrier: true, ahead: queued)])
      ], processors: 2)
  }

  @Test("the forecast has the threads that 64 and 300 readers behind a barrier need")
  func readers() throws {
    let few = try explained(Self.readers(running: 3, queued: 61), "forecast-of-64-readers")
    #expect(few.cause == .starvation)
    #expect(!few.isCertain)
    #expect(few.pool?.needed == 65)
    #expect(few.pool?.isOnlySlow == false)
    #expect(few.pool?.seconds == 62)
    #expect(few.pool?.completesHere == true)
    #expect(few.pool?.completesOnApple == false)
    let many = try explained(Self.readers(running: 3, queued: 297), "forecast-of-300-readers")
    #expect(many.isCertain)
    #expect(many.pool?.needed == 301)
    #expect(many.certainty == .certainIfBlocksAreAlike)
  }

  @Test("the forecast stays certain if stacks differ behind the wait, but not with another wait")
  func stacks() throws {
    var snapshot = Self.readers(running: 3, queued: 297)
    for number in snapshot.threads.indices.dropFirst() {
      let wait = try #require(snapshot.threads[number].wait)
      snapshot.threads[number].stack = wait.place + S.line(100 + number)
    }
    let named = snapshot.named([:])
    #expect(named.threads[1].wait?.place != named.threads[2].wait?.place)
    #expect(Diagnosis(of: named)?.certainty == .certainIfBlocksAreAlike)
    #expect(Diagnosis(of: named) == Diagnosis(of: snapshot))
    snapshot.threads[1].wait?.place = S.line(99)
    #expect(Diagnosis(of: snapshot)?.isCertain == false)
  }

  @Test("the forecast calls readers that Apple's pools would serve at once slow, and not stuck")
  func slow() throws {
    let found = try #require(Diagnosis(of: Self.readers(running: 3, queued: 60)))
    #expect(found.pool?.needed == 64)
    #expect(found.pool?.isOnlySlow == true)
    #expect(!found.isCertain)
  }

  @Test("no thread frees a block that is behind a barrier of the queue whose blocks wait")
  func closed() throws {
    let run = S.run(0x21, at: 80, by: 1)
    let snapshot = S.process(
      [S.waiting(1, .group, 0xe, at: 90, isMain: true)]
        + (0..<3).map {
          S.waiting(10 + $0, .semaphore, 0xf, at: 61, runs: [run], pool: S.defaultPool)
        },
      [
        S.concurrent(
          0x21, "table",
          blocks: [
            S.blocks(20, at: 80, by: [1]), S.blocks(at: 85, by: [1], barrier: true, ahead: 20),
          ])
      ])
    let found = try explained(snapshot, "forecast-of-a-closed-queue")
    #expect(found.cause == .starvation)
    #expect(!found.isCertain)
    #expect(found.pool?.closedQueue == 0x21)
    #expect(found.pool?.completesHere == false)
    #expect(found.pool?.completesOnApple == false)
    #expect(found.pool?.isOnlySlow == false)
    #expect(found.advice == .waitForNothingBehindBarrier)
    // Without the barrier, more threads reach the block.
    var open = snapshot
    open.queues[open.queues.count - 1].blocks[1].isBarrier = false
    #expect(Diagnosis(of: open)?.pool?.completesHere == true)
  }

  /// Blocks whose code shows that they all wait for one semaphore first; a block of other code
  /// behind them signals the semaphore.
  private static func turnstile(
    running: Int, queued: Int, barrier: Bool = false
  ) -> WaitSnapshot {
    var run = S.run(0x21, at: 80, by: 1)
    run.code = 7
    run.sureWait = 9
    var alike = S.blocks(queued, at: 80, by: [1])
    alike.code = 7
    alike.sureWait = 9
    var queue = S.concurrent(
      0x21, "table", blocks: [alike, S.blocks(at: 85, by: [1], barrier: barrier, ahead: queued)])
    queue.keepsOrder = true
    return S.process(
      [S.waiting(1, .group, 0xe, at: 90, isMain: true)]
        + (0..<running).map {
          S.waiting(10 + $0, .semaphore, 0xf, at: 61, runs: [run], pool: S.defaultPool)
        }, [queue])
  }

  @Test("blocks whose code leads straight to one wait certainly wait for a barrier behind them")
  func sureBarrier() throws {
    let found = try explained(
      Self.turnstile(running: 3, queued: 20, barrier: true), "forecast-of-a-sure-wait")
    #expect(found.cause == .starvation)
    #expect(found.certainty == .certainIfBlocksAreAlike)
    #expect(found.pool?.closedQueue == 0x21)
    #expect(found.advice == .waitForNothingBehindBarrier)
  }

  @Test("blocks whose code leads straight to one wait are certain if they fill the pool")
  func sureBlocks() throws {
    #expect(try #require(Diagnosis(of: Self.turnstile(running: 3, queued: 252))).isCertain)
    #expect(try #require(Diagnosis(of: Self.turnstile(running: 3, queued: 251))).isCertain == false)
  }

  /// Changes after which a block may do something before its wait, or another block may begin.
  static let doubtsOfSureWaits: [(String, @Sendable (inout WaitSnapshot) -> Void)] = [
    ("a queued block that may signal first", { $0.queues[3].blocks[0].sureWait = 0 }),
    ("a queued block with another semaphore", { $0.queues[3].blocks[0].sureWait = 10 }),
    ("a running block that may signal first", { $0.threads[2].runs[0].sureWait = 0 }),
    ("one that waits for another semaphore", { $0.threads[2].wait?.object = 0x10 }),
    ("one inside another block", { $0.threads[2].runs.append(Snapshots.run(0x21)) }),
    ("a block that is not listed", { $0.queues[3].queued += 1 }),
    (
      "a block of another queue",
      {
        $0.queues.append(Snapshots.concurrent(0x77, "others", blocks: [Snapshots.blocks(by: [1])]))
      }
    ),
    ("a suspended queue", { $0.queues[3].isSuspended = true }),
    ("another target", { $0.queues[3].target = 0x22 }),
    ("a timer", { $0.nextTimer = 1 }),
    ("something unseen", { $0.isPartial = true }),
    ("a limit", { $0.threads[2].wait?.hasTimeLimit = true }),
    ("a thread that runs", { $0.threads.append(Snapshots.other(99, .running)) }),
  ]

  @Test(
    "a wait that code leads straight to is not certain if a queued block may end it",
    arguments: 0..<13, [true, false])
  func doubtOfSureWait(_ number: Int, barrier: Bool) {
    var snapshot = Self.turnstile(running: 3, queued: 300, barrier: barrier)
    #expect(Diagnosis(of: snapshot)?.isCertain == true)
    let (name, change) = Self.doubtsOfSureWaits[number]
    change(&snapshot)
    #expect(Diagnosis(of: snapshot)?.certainty != .certainIfBlocksAreAlike, "\(name)")
    #expect(Self.doubtsOfSureWaits.count == 13)
  }

  @Test("starvation is certain at one thread more than a pool may have")
  func border() throws {
    #expect(try #require(Diagnosis(of: Self.readers(running: 3, queued: 251))).isCertain == false)
    #expect(try #require(Diagnosis(of: Self.readers(running: 3, queued: 252))).isCertain)
    #expect(try #require(Diagnosis(of: Self.callers(running: 3, queued: 251))).isCertain == false)
    #expect(try #require(Diagnosis(of: Self.callers(running: 3, queued: 252))).isCertain)
  }

  @Test("a queue that was held back needs twice as many blocks for a certain starvation")
  func heldBack() throws {
    func isCertain(_ queued: Int) throws -> Bool {
      let snapshot = Self.callers(running: 3, queued: queued, keepsOrder: false)
      return try #require(Diagnosis(of: snapshot)).isCertain
    }
    #expect(try isCertain(997))
    #expect(try isCertain(510))
    #expect(try !isCertain(509))
    // A barrier that has run releases all callers of its queue at once: their order matters, but is
    // not known.
    var readers = Self.readers(running: 3, queued: 900)
    readers.queues[0].keepsOrder = false
    #expect(try #require(Diagnosis(of: readers)).isCertain == false)
  }

  @Test("blocks of other code between the callers do not count as callers that wait")
  func between() throws {
    func isCertain(others: Int) throws -> Bool {
      var snapshot = Self.callers(running: 3, queued: 300)
      let own = try #require(snapshot.queues.firstIndex { $0.label == "test queue" })
      // Blocks of another queue were enqueued alternately with these.
      snapshot.queues.append(
        Snapshots.concurrent(
          0x77, "others", blocks: [Snapshots.blocks(others, at: 99, by: [1], ahead: 1)]))
      #expect(snapshot.queues[own].blocks[0].count == 300)
      return try #require(Diagnosis(of: snapshot)).isCertain
    }
    #expect(try isCertain(others: 40))
    #expect(try !isCertain(others: 100))
  }

  /// Changes after which a queued block, or something else, may end the wait.
  static let doubts: [(String, @Sendable (inout WaitSnapshot) -> Void)] = [
    ("other code", { $0.queues[3].blocks[0].code = 0 }),
    ("running code unknown", { for thread in 1...3 { $0.threads[thread].runs[0].code = 0 } }),
    ("one block of other code", { $0.threads[2].runs[0].code = 8 }),
    ("another line of waiting", { $0.threads[2].wait?.place = Snapshots.line(62) }),
    ("a semaphore that was signalled before", { $0.signals[1].releases = 1 }),
    ("a semaphore that was waited for before", { $0.signals[1].waits = 2 }),
    ("a semaphore of which nothing is known", { $0.signals.remove(at: 1) }),
    ("one semaphore for two", { $0.threads[2].wait?.object = 0x100a }),
    ("one that has enqueued nothing", { $0.queues[4].blocks[0].enqueuedBy = [10, 11] }),
    ("a barrier among the queued", { $0.queues[3].blocks[0].isBarrier = true }),
    ("a suspended queue", { $0.queues[3].isSuspended = true }),
    ("a narrow queue", { $0.queues[3].width = 100 }),
    ("another target", { $0.queues[3].target = 0x21 }),
    ("a timer", { $0.nextTimer = 1 }),
    ("a delayed block", { $0.queues[3].delayed = 1 }),
    ("something unseen", { $0.isPartial = true }),
    ("a limit", { $0.threads[2].wait?.hasTimeLimit = true }),
    ("a thread that runs", { $0.threads.append(Snapshots.other(99, .running)) }),
    ("a thread that sleeps", { $0.threads.append(Snapshots.other(99, .outside)) }),
    (
      "what is waited for in front",
      { $0.queues[4].blocks.insert(Snapshots.blocks(by: [10], ahead: 5), at: 0) }
    ),
  ]

  @Test(
    "starvation is not certain if a queued block, or anything else, may end the wait",
    arguments: 0..<20)
  func doubt(_ number: Int) {
    var snapshot = Self.callers(running: 3, queued: 300)
    #expect(Diagnosis(of: snapshot)?.isCertain == true)
    let (name, change) = Self.doubts[number]
    change(&snapshot)
    #expect(Diagnosis(of: snapshot)?.isCertain != true, "\(name)")
    #expect(Self.doubts.count == 20)
  }

  @Test("a pool made for more processors than 255 may have as many threads")
  func wide() throws {
    var snapshot = Self.callers(running: 400, queued: 600)
    snapshot.processors = 400
    let found = try #require(Diagnosis(of: snapshot))
    #expect(found.isCertain)
    #expect(found.pool?.needed == 1_001)
    #expect(found.pool?.threads == 400)
    guard case .starvation(let pool) = found.evidence else {
      Issue.record("no starvation: \(found.evidence)")
      return
    }
    #expect(pool.mostThreads == 400)
    #expect(
      Explanation(found, of: snapshot).advice[0]
        .contains("queued first (this pool: 400 now, 400 at most)"))
  }
}
