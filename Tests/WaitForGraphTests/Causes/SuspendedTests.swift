import Interlock
import Testing

@testable import Hangs

/// Tasks and queues that no thread can resume.
@Suite("Suspended for ever")
struct SuspendedTests {
  typealias S = Snapshots

  static let continuation = WaitSnapshot.Signal(
    id: 0xc, kind: .continuation, created: S.line(44, "load()"))

  @Test("a task whose continuation was not resumed is suspended, and a thread waits for it")
  func continuation() throws {
    let found = try explained(
      S.process(
        [S.waiting(1, .semaphore, 0xa, isMain: true), S.other(2, .idle, pool: S.defaultPool)],
        signals: [Self.continuation]), "suspended-continuation")
    #expect(found.cause == .suspended)
    #expect(found.isCertain)
    #expect(
      found.evidence
        == .suspendedTasks(.continuation, waitingFor: [0xc], others: [.thread(1)]))
    #expect(found.advice == .resumeOnEveryWayOut)
    #expect(found.nodes.contains { $0.kind == .task && $0.isMarked })
  }

  @Test("a task whose continuation was not resumed is suspended even if no thread waits")
  func noThreadWaits() throws {
    let found = try #require(
      Diagnosis(
        of: S.process(
          [S.other(1, .listening, isMain: true), S.other(2, .idle)], signals: [Self.continuation])))
    #expect(found.cause == .suspended)
    #expect(found.isCertain)
  }

  static let stream = WaitSnapshot.Signal(id: 0xe, kind: .stream, created: S.line(51, "listen()"))

  @Test("a task that waits for a stream's next element is suspended if no thread waits")
  func stream() throws {
    let found = try explained(
      S.process([S.other(1, .listening, isMain: true)], signals: [Self.stream]),
      "suspended-stream")
    #expect(found.isCertain)
    #expect(found.evidence == .suspendedTasks(.stream, waitingFor: [0xe], others: []))
    #expect(found.advice == .finishOnEveryWayOut)
  }

  @Test("a thread that waits is the cause, and not a task that listens to a stream")
  func threadAndStream() throws {
    let found = try explained(
      S.process([S.waiting(1, .semaphore, 0xa, isMain: true)], signals: [Self.stream]),
      "lost-beside-a-stream")
    #expect(found.isCertain)
    #expect(
      found.evidence
        == .lostSignal(
          Diagnosis.Object(.semaphore, 0xa), waiters: [.thread(1)], chain: [], listeners: [0xe],
          others: []))
  }

  @Test("a continuation is the cause, and not a stream to which another task listens")
  func continuationAndStream() throws {
    let found = try #require(
      Diagnosis(
        of: S.process([S.other(1, .listening)], signals: [Self.stream, Self.continuation])))
    #expect(found.evidence == .suspendedTasks(.continuation, waitingFor: [0xc], others: []))
  }

  @Test(
    "suspension is not certain in a process that may be idle, unless a thread waits",
    arguments: [WaitSnapshot.ObjectKind.stream, .continuation])
  func atRest(kind: WaitSnapshot.ObjectKind) throws {
    let signal = kind == .stream ? Self.stream : Self.continuation
    var snapshot = S.process(
      [S.other(1, .listening, isMain: true), S.other(2, .idle)], signals: [signal])
    #expect(try #require(Diagnosis(of: snapshot)).isCertain)
    snapshot.mayRest = true
    let found = try explained(snapshot, "suspended-\(kind)-at-rest")
    #expect(found.cause == .suspended)
    #expect(found.certainty == .doubtful(.mayListen))
    snapshot.threads.append(S.waiting(3, .semaphore, 0xa))
    #expect(try #require(Diagnosis(of: snapshot)).isCertain)
  }

  @Test("a process only listens if its tasks wait for streams and no block is suspended")
  func onlyListening() {
    var snapshot = S.process([S.other(1, .listening, isMain: true)], signals: [Self.stream])
    #expect(snapshot.isOnlyListening)
    var queue = S.serial(0x10, "cache", blocks: [S.blocks(3, at: 12)])
    queue.isSuspended = true
    snapshot.queues = [queue]
    #expect(!snapshot.isOnlyListening)
    snapshot.queues = []
    snapshot.signals.append(Self.continuation)
    #expect(!snapshot.isOnlyListening)
    snapshot.signals = []
    #expect(!snapshot.isOnlyListening)
  }

  @Test("suspended tasks at one place are counted")
  func several() throws {
    var other = Self.continuation
    other.id = 0xd
    let found = try explained(
      S.process([S.waiting(1, .group, 0xa)], signals: [Self.continuation, other]),
      "suspended-continuations")
    #expect(
      found.evidence
        == .suspendedTasks(.continuation, waitingFor: [0xc, 0xd], others: [.thread(1)]))
  }

  @Test("a suspended queue with blocks or calls is suspended for ever")
  func queue() throws {
    var queue = S.serial(0x10, "cache", blocks: [S.blocks(3, at: 12)])
    queue.isSuspended = true
    let found = try explained(
      S.process([S.waiting(1, .semaphore, 0xa)], [queue]), "suspended-queue")
    #expect(found.cause == .suspended)
    #expect(found.isCertain)
    #expect(
      found.evidence == .suspendedQueue(0x10, queued: 3, calls: 0, others: [.thread(1)]))
    #expect(found.advice == .resumeQueue)
    queue.queued = 0
    queue.blocks = []
    let call = try explained(
      S.process([S.waiting(1, .queue, 0x10)], [queue]), "suspended-queue-with-a-call")
    #expect(call.evidence == .suspendedQueue(0x10, queued: 0, calls: 1, others: [.thread(1)]))
  }

  @Test("a task is not suspended for ever if it is resumed, a thread runs or a timer is set")
  func nearMisses() throws {
    let waiting = S.waiting(1, .semaphore, 0xa)
    #expect(
      Diagnosis(of: S.process([waiting, S.other(2, .running)], signals: [Self.continuation])) == nil
    )
    var resumed = Self.continuation
    resumed.releases = 1
    #expect(Diagnosis(of: S.process([waiting], signals: [resumed]))?.cause == .lostWakeUp)
    var timer = S.process([waiting], signals: [Self.continuation])
    timer.nextTimer = 3
    #expect(try #require(Diagnosis(of: timer)).isCertain == false)
    // A task that sleeps is not suspended forever.
    var asleep = S.process([S.other(1, .listening, isMain: true)], signals: [Self.continuation])
    asleep.nextTimer = 3
    #expect(Diagnosis(of: asleep) == nil)
    var queue = S.serial(0x10, "cache", blocks: [S.blocks()])
    queue.isSuspended = true
    #expect(Diagnosis(of: S.process([waiting, S.other(2, .outside)], [queue])) == nil)
  }
}
