import Interlock
import Testing

@testable import WaitForGraph

/// Threads that each wait for what the next one holds.
@Suite("A cycle")
struct CycleTests {
  typealias S = Snapshots

  /// Threads from 1, each with one mutex, each waiting for the next one's.
  static func ring(_ count: Int) -> WaitSnapshot {
    S.process(
      (0..<count).map {
        S.waiting(
          $0 + 1, .mutex, UInt(0x1000 + ($0 + 1) % count), at: 20,
          held: [S.has(UInt(0x1000 + $0), at: 10)])
      })
  }

  @Test("a cycle of two threads and two mutexes is reported with all four lines")
  func two() throws {
    let found = try #require(Diagnosis(of: Self.ring(2)))
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(found.headline == "2 threads wait for each other")
    #expect(
      found.details == [
        "thread 1 holds mutex 0x1000 (Cache.swift:10  take()) and waits for mutex 0x1001 "
          + "at Cache.swift:20  get(_:), which thread 2 holds since Cache.swift:10  take()",
        "thread 2 holds mutex 0x1001 (Cache.swift:10  take()) and waits for mutex 0x1000 "
          + "at Cache.swift:20  get(_:), which thread 1 holds since Cache.swift:10  take()",
      ])
    #expect(found.nodes.filter(\.isMarked).count == 4)
    #expect(found.edges.filter(\.isMarked).count == 4)
  }

  @Test("a cycle is certain even if others run, a timer is set and something is not seen")
  func besidesOthers() throws {
    var snapshot = Self.ring(3)
    snapshot.threads.append(S.other(90, .running))
    snapshot.threads.append(S.waiting(91, .semaphore, 0x5))
    snapshot.threads.append(S.waiting(92, .mutex, 0x1000))
    snapshot.isPartial = true
    snapshot.nextTimer = 3
    let found = try #require(Diagnosis(of: snapshot))
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(found.headline == "3 threads wait for each other")
    // A thread that waits for the ring is stuck, too; one that waits for a signal is not.
    #expect(found.details.last == "1 other thread waits besides them")
  }

  @Test("a cycle of ten thousand threads is found quickly, and its report is cut")
  func large() throws {
    let found = try #require(Diagnosis(of: Self.ring(10_000)))
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(found.headline == "10,000 threads wait for each other")
    #expect(found.details.count == 40)
    #expect(found.details.last == "… and 9,961 more threads")
    #expect(found.nodes.count == 200)
    #expect(found.nodes.last?.title == "… and 19,801 more")
    #expect(found.edges.count <= 400)
  }

  @Test("many threads that wait for many holders are searched quickly")
  func manyForMany() throws {
    let readers = (1...4000).map {
      S.waiting($0, .mutex, 0xb, held: [S.has(0xa, .readLock)])
    }
    let writers = (4001...9999).map { S.waiting($0, .writeLock, 0xa) }
    let last = S.waiting(10_000, .writeLock, 0xa, held: [S.has(0xb)])
    let found = try #require(Diagnosis(of: S.process(readers + writers + [last])))
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(found.headline == "2 threads wait for each other")
    #expect(found.details.last == "9,998 other threads wait besides them")
  }

  @Test("a cycle can lead through a lock and a queue")
  func lockAndQueue() throws {
    let found = try #require(
      Diagnosis(
        of: S.process(
          [
            S.waiting(1, .queue, 0x10, at: 30, held: [S.has(0xa, at: 10)]),
            S.waiting(2, .mutex, 0xa, at: 40, runs: [S.run(0x10, at: 5)], pool: S.overcommitPool),
          ], [S.serial(0x10, "cache")])))
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(
      found.details[0]
        == "thread 1 holds mutex 0xa (Cache.swift:10  take()) and waits for queue \"cache\" "
        + "at Cache.swift:30  get(_:), which thread 2 is on since Cache.swift:5  start()")
    #expect(found.details[1].contains("is on queue \"cache\" (Cache.swift:5  start()) and waits"))
  }

  @Test("a cycle can lead through the target of a queue, or a queue with the same target")
  func targets() throws {
    let queues = [
      S.serial(0x10, "root"), S.serial(0x11, "one", target: 0x10),
      S.serial(0x12, "two", target: 0x10),
    ]
    let found = try #require(
      Diagnosis(
        of: S.process(
          [
            S.waiting(1, .queue, 0x12, held: [S.has(0xa)]),
            S.waiting(2, .mutex, 0xa, runs: [S.run(0x11)]),
          ], queues)))
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(found.details[0].contains("and thread 2 is on queue \"one\""))
    // With a target each, they have two threads, and the call goes on.
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
    // One more reader that runs does not help the writer: it waits for both.
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
    let found = try #require(
      Diagnosis(
        of: S.process(
          [
            S.waiting(1, .queue, 0x10, barrier: true, held: [S.has(0xa)]),
            S.waiting(2, .mutex, 0xa, runs: [S.run(0x10)]),
            S.waiting(3, .queue, 0x10),
          ], [queue])))
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(found.details.last == "1 other thread waits besides them")
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
    let main = try #require(
      Diagnosis(
        of: S.process([
          S.waiting(1, .mutex, 0xa, isMain: true),
          S.waiting(2, .queue, S.mainQueue, held: [S.has(0xa)]),
        ])))
    #expect(main.cause == .cycle)
    #expect(main.isCertain)
    #expect(main.details[0].hasPrefix("thread 1 (main) is the main thread and waits for mutex"))
    let end = try #require(
      Diagnosis(
        of: S.process([
          S.waiting(1, .thread, 2, held: [S.has(0xa)]), S.waiting(2, .mutex, 0xa),
          S.other(3, .running),
        ])))
    #expect(end.cause == .cycle)
    #expect(end.isCertain)
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
    let timed = try #require(Diagnosis(of: snapshot))
    #expect(timed.cause == .cycle)
    #expect(!timed.isCertain)
    #expect(timed.details.last == "not certain: a timer is set, which may end it")
  }

  @Test("a cycle can lead through the group of blocks that a holder has enqueued and waits for")
  func enqueued() throws {
    let threads = [
      S.waiting(1, .group, 0xe, held: [S.has(0xa)]),
      S.waiting(2, .mutex, 0xa, runs: [S.run(0x10, by: 1)], pool: S.defaultPool),
    ]
    let found = try #require(Diagnosis(of: S.process(threads, [S.concurrent(0x10, "work")])))
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(found.details[0].contains("thread 2 is in a block that it has enqueued"))
    // A thread that runs may leave the group.
    #expect(
      Diagnosis(
        of: S.process(threads + [S.other(3, .running)], [S.concurrent(0x10, "work")])) == nil)
  }

  @Test("threads are no cycle if one of the waits has a limit, or a holder can go on")
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
    // Two hundred threads wait for one lock whose holder sleeps for a while.
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
