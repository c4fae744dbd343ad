import HangReports
import Interlock
import Testing

@testable import Hangs

/// Threads each of which waits for what the next one holds.
@Suite("A cycle")
struct CycleTests {
  typealias S = Snapshots

  /// Threads from number 1, each of which holds a mutex and waits for the mutex of the next one.
  static func ring(_ count: Int) -> WaitSnapshot {
    S.process(
      (0..<count).map {
        S.waiting(
          $0 + 1, .mutex, UInt(0x1000 + ($0 + 1) % count), at: 20,
          held: [S.has(UInt(0x1000 + $0), at: 10)])
      })
  }

  /// The threads of a cycle, their gates, and the other stuck parties.
  private func cycle(
    _ found: Diagnosis
  ) throws -> (waiters: [Int], gates: [Diagnosis.Gate], others: [Diagnosis.Party]) {
    guard case .cycle(let waits, let others) = found.evidence else {
      throw Unexpected(evidence: found.evidence)
    }
    let waiters = waits.compactMap { wait -> Int? in
      if case .thread(let number) = wait.waiter { number } else { nil }
    }
    return (waiters, waits.map(\.gate), others)
  }

  /// A cause that is no cycle.
  private struct Unexpected: Error {
    var evidence: Diagnosis.Evidence
  }

  @Test("a cycle of two threads and two mutexes is reported with all four lines")
  func two() throws {
    let found = try explained(Self.ring(2), "cycle-of-mutexes")
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(
      found.evidence
        == .cycle(
          [
            Diagnosis.BlockedWait(.thread(1), .lock(0x1001), by: .thread(2)),
            Diagnosis.BlockedWait(.thread(2), .lock(0x1000), by: .thread(1)),
          ], others: []))
    #expect(found.advice == .acquireInOneOrder)
    #expect(found.nodes.filter(\.isMarked).count == 4)
    #expect(found.edges.filter(\.isMarked).count == 4)
  }

  @Test("a cycle is certain even if other threads run, a timer is set and something is not seen")
  func besidesOthers() throws {
    var snapshot = Self.ring(3)
    snapshot.threads.append(S.other(90, .running))
    snapshot.threads.append(S.waiting(91, .semaphore, 0x5))
    snapshot.threads.append(S.waiting(92, .mutex, 0x1000))
    snapshot.isPartial = true
    snapshot.nextTimer = 3
    let found = try explained(snapshot, "cycle-besides-others")
    let cycle = try cycle(found)
    #expect(found.isCertain)
    #expect(cycle.waiters == [1, 2, 3])
    // A thread that waits for the ring is stuck too; a thread that waits for a signal is not.
    #expect(cycle.others == [.thread(92)])
  }

  @Test("a cycle of ten thousand threads is found quickly, and its report is cut")
  func large() throws {
    let found = try #require(Diagnosis(of: Self.ring(10_000)))
    #expect(found.isCertain)
    #expect(try cycle(found).waiters == Array(1...10_000))
    #expect(found.nodes.count == 200)
    #expect(found.nodes.last == Diagnosis.Node(subject: .rest, kind: .other, count: 19_801))
    #expect(found.edges.count <= 400)
    let text = Explanation(found, of: Self.ring(10_000))
    #expect(text.headline == "10,000 threads wait for each other")
    #expect(text.details.count == 40)
    #expect(text.details.last == "… and 9,961 more threads")
    #expect(text.nodes.last?.title == "… and 19,801 more")
  }

  @Test("many threads that wait for many holders are searched quickly")
  func manyForMany() throws {
    let readers = (1...4000).map {
      S.waiting($0, .mutex, 0xb, held: [S.has(0xa, .readLock)])
    }
    let writers = (4001...9999).map { S.waiting($0, .writeLock, 0xa) }
    let last = S.waiting(10_000, .writeLock, 0xa, held: [S.has(0xb)])
    let snapshot = S.process(readers + writers + [last])
    let found = try #require(Diagnosis(of: snapshot))
    #expect(found.isCertain)
    #expect(try cycle(found).waiters.count == 2)
    #expect(try cycle(found).others.count == 9_998)
    #expect(
      Explanation(found, of: snapshot).details.last == "9,998 other threads wait besides them")
  }

  @Test("a cycle can lead through a lock and a queue")
  func lockAndQueue() throws {
    let found = try explained(
      S.process(
        [
          S.waiting(1, .queue, 0x10, at: 30, held: [S.has(0xa, at: 10)]),
          S.waiting(2, .mutex, 0xa, at: 40, runs: [S.run(0x10, at: 5)], pool: S.overcommitPool),
        ], [S.serial(0x10, "cache")]), "cycle-of-lock-and-queue")
    #expect(found.isCertain)
    #expect(try cycle(found).gates == [.queue(0x10), .lock(0xa)])
  }

  @Test("an initialiser in a cycle has no order: it must not wait for code that uses its variable")
  func initialisers() throws {
    let crossed = S.process([
      S.waiting(1, .initializer, 0xa, held: [S.has(0xb, .initializer)]),
      S.waiting(2, .initializer, 0xb, held: [S.has(0xa, .initializer)]),
    ])
    #expect(try #require(Diagnosis(of: crossed)).advice == .useNotInInitializer)
    let withLock = S.process([
      S.waiting(1, .initializer, 0xa, held: [S.has(0xb)]),
      S.waiting(2, .mutex, 0xb, held: [S.has(0xa, .initializer)]),
    ])
    let found = try explained(withLock, "cycle-of-initialiser-and-lock")
    #expect(found.cause == .cycle)
    #expect(found.advice == .useNotInInitializer)
  }

  @Test("a cycle can lead through the target of a queue, or a queue with the same target")
  func targets() throws {
    let queues = [
      S.serial(0x10, "root"), S.serial(0x11, "one", target: 0x10),
      S.serial(0x12, "two", target: 0x10),
    ]
    let found = try explained(
      S.process(
        [
          S.waiting(1, .queue, 0x12, held: [S.has(0xa)]),
          S.waiting(2, .mutex, 0xa, runs: [S.run(0x11)]),
        ], queues), "cycle-through-a-target")
    #expect(found.isCertain)
    #expect(try cycle(found).gates == [.queue(0x10), .lock(0xa)])
    // With a target each, the queues have two threads, and the call continues.
    let apart = [S.serial(0x11, "one"), S.serial(0x12, "two")]
    #expect(
      Diagnosis(
        of: S.process(
          [
            S.waiting(1, .queue, 0x12, held: [S.has(0xa)]),
            S.waiting(2, .mutex, 0xa, runs: [S.run(0x11)]),
          ], apart)) == nil)
  }

  @Test("a cycle can lead through a reader behind a writer that waits for the first reader")
  func readerReaderWriter() throws {
    let found = try #require(
      Diagnosis(
        of: S.process([
          S.waiting(1, .readLock, 0xa, held: [S.has(0xa, .readLock)]),
          S.waiting(2, .writeLock, 0xa), S.other(3, .running),
        ])))
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    // A further running reader does not help the writer, which waits for both readers.
    let more = S.process([
      S.waiting(1, .mutex, 0xb, held: [S.has(0xa, .readLock)]),
      S.waiting(2, .writeLock, 0xa, held: [S.has(0xb)]),
      S.other(3, .running, held: [S.has(0xa, .readLock)]),
    ])
    #expect(Diagnosis(of: more)?.cause == .cycle)
  }

  @Test("a cycle can lead through calls with a barrier, and a call that waits behind one")
  func barriers() throws {
    let queue = S.concurrent(0x10, "cache")
    let found = try explained(
      S.process(
        [
          S.waiting(1, .queue, 0x10, barrier: true, held: [S.has(0xa)]),
          S.waiting(2, .mutex, 0xa, runs: [S.run(0x10)]),
          S.waiting(3, .queue, 0x10),
        ], [queue]), "cycle-through-a-barrier")
    #expect(found.isCertain)
    #expect(try cycle(found).others == [.thread(3)])
    let reader = try #require(
      Diagnosis(
        of: S.process(
          [
            S.waiting(1, .queue, 0x10, held: [S.has(0xa)]),
            S.waiting(2, .mutex, 0xa, runs: [S.run(0x10, barrier: true)]),
          ], [queue])))
    #expect(reader.cause == .cycle)
    // Without a barrier a concurrent queue has room for both.
    #expect(
      Diagnosis(
        of: S.process(
          [
            S.waiting(1, .queue, 0x10, held: [S.has(0xa)]),
            S.waiting(2, .mutex, 0xa, runs: [S.run(0x10)]),
          ], [queue])) == nil)
  }

  @Test("a cycle can lead through the main thread and its queue, and the end of a thread")
  func mainAndEnd() throws {
    let main = try explained(
      S.process([
        S.waiting(1, .mutex, 0xa, isMain: true),
        S.waiting(2, .queue, S.mainQueue, held: [S.has(0xa)]),
      ]), "cycle-through-the-main-queue")
    #expect(main.isCertain)
    #expect(try cycle(main).gates == [.lock(0xa), .main])
    let end = try #require(
      Diagnosis(
        of: S.process([
          S.waiting(1, .thread, 2, held: [S.has(0xa)]), S.waiting(2, .mutex, 0xa),
          S.other(3, .running),
        ])))
    #expect(end.cause == .cycle)
    #expect(end.isCertain)
  }

  @Test("a cycle leads through the thread of a pool that runs the main queue after dispatchMain")
  func mainQueueOnAPool() throws {
    // The main thread then only waits for signals of the system.
    let main = S.other(1, .idle, isMain: true)
    let runner = S.waiting(2, .mutex, 0xa, runs: [S.run(S.mainQueue, job: true)])
    let caller = S.waiting(3, .queue, S.mainQueue, held: [S.has(0xa)])
    let found = try explained(S.process([main, runner, caller]), "cycle-through-dispatch-main")
    #expect(found.isCertain)
    #expect(try cycle(found).gates == [.lock(0xa), .queue(S.mainQueue)])
    // A block that the caller's lock does not block ends, and then the call begins.
    let free = S.other(2, .running, runs: [S.run(S.mainQueue, job: true)])
    #expect(Diagnosis(of: S.process([main, free, caller])) == nil)
  }

  @Test("a cycle through a semaphore used as a lock is certain only if no thread could signal it")
  func semaphores() throws {
    var snapshot = S.process(
      [
        S.waiting(1, .semaphore, 0xa, held: [S.has(0xb, .semaphore)]),
        S.waiting(2, .semaphore, 0xb, held: [S.has(0xa, .semaphore)]),
      ],
      signals: [
        WaitSnapshot.Signal(id: 0xa, kind: .semaphore, value: 1),
        WaitSnapshot.Signal(id: 0xb, kind: .semaphore, value: 1),
      ])
    let found = try #require(Diagnosis(of: snapshot))
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    snapshot.threads.append(S.other(3, .running))
    #expect(Diagnosis(of: snapshot) == nil)
    snapshot.threads.removeLast()
    snapshot.nextTimer = 5
    let timed = try explained(snapshot, "cycle-with-a-timer")
    #expect(timed.cause == .cycle)
    #expect(timed.certainty == .doubtful(.timerIsSet))
  }

  @Test("a cycle can lead through the group of blocks that a holder has enqueued and waits for")
  func enqueued() throws {
    let threads = [
      S.waiting(1, .group, 0xe, held: [S.has(0xa)]),
      S.waiting(2, .mutex, 0xa, runs: [S.run(0x10, by: 1)], pool: S.defaultPool),
    ]
    let found = try explained(
      S.process(threads, [S.concurrent(0x10, "work")]), "cycle-through-an-enqueued-block")
    #expect(found.isCertain)
    #expect(try cycle(found).gates == [.started(1), .lock(0xa)])
    // A running thread may leave the group.
    #expect(
      Diagnosis(
        of: S.process(threads + [S.other(3, .running)], [S.concurrent(0x10, "work")])) == nil)
  }

  @Test("threads are no cycle if one of the waits has a limit, or a holder can continue")
  func nearMisses() {
    var limited = Self.ring(3)
    limited.threads[1].wait?.hasTimeLimit = true
    #expect(Diagnosis(of: limited) == nil)
    // The lock was handed on: its new holder is about to run.
    let handed = S.process([
      S.waiting(1, .mutex, 0xa, held: [S.has(0xb)]),
      S.other(2, .running, held: [S.has(0xa)]), S.waiting(3, .mutex, 0xb),
    ])
    #expect(Diagnosis(of: handed) == nil)
    // Two hundred threads wait for a lock whose holder sleeps for a while.
    let long = S.process(
      [S.other(1, .outside, held: [S.has(0xa)])] + (2...200).map { S.waiting($0, .mutex, 0xa) })
    #expect(Diagnosis(of: long) == nil)
    // The holder listens: any thread may wake it.
    let listening = S.process([
      S.other(1, .listening, held: [S.has(0xa)]), S.waiting(2, .mutex, 0xa), S.other(3, .running),
    ])
    #expect(Diagnosis(of: listening) == nil)
  }
}
