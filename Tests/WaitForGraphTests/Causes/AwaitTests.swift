import Interlock
import Testing

@testable import Hangs

/// Tasks that wait for tasks and for actors.
@Suite("Tasks that await")
struct AwaitTests {
  typealias S = Snapshots

  private static func awaits(
    _ task: UInt, _ kind: WaitSnapshot.ObjectKind, _ object: UInt, at line: Int
  ) -> WaitSnapshot.Await {
    WaitSnapshot.Await(task: task, kind: kind, object: object, place: S.line(line))
  }

  private static func process(
    _ threads: [WaitSnapshot.Thread], _ awaits: [WaitSnapshot.Await]
  ) -> WaitSnapshot {
    var snapshot = S.process(threads)
    snapshot.awaits = awaits
    snapshot.actorTypes = [0xac: "Store"]
    return snapshot
  }

  private static let crossed = [
    awaits(0x1000, .task, 0x2000, at: 41), awaits(0x2000, .task, 0x1000, at: 51),
  ]

  @Test("tasks that await each other are a cycle for certain, while other threads run")
  func cycle() throws {
    let found = try explained(
      Self.process([S.other(1, .running)], Self.crossed), "cycle-of-tasks")
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(
      found.evidence
        == .cycle(
          [
            Diagnosis.BlockedWait(.task(0x1000), .end(0x2000), by: .task(0x2000)),
            Diagnosis.BlockedWait(.task(0x2000), .end(0x1000), by: .task(0x1000)),
          ], others: []))
    #expect(found.advice == .awaitInOneDirection)
    #expect(found.nodes.filter { $0.kind == .task && $0.isMarked }.count == 2)
    #expect(found.edges.filter(\.isMarked).count == 2)
  }

  /// Task 1 waits for its group. Task 2 of the group waits as the argument says.
  private static func group(_ child: WaitSnapshot.Await) -> [WaitSnapshot.Await] {
    var child = child
    child.parentTask = 0x1000
    return [awaits(0x1000, .taskGroup, 0x1000, at: 41), child]
  }

  @Test("a task that awaits its parent, which waits for its group, is a cycle for certain")
  func groupCycle() throws {
    let tasks = Self.group(Self.awaits(0x2000, .task, 0x1000, at: 51))
    let found = try explained(
      Self.process([S.other(1, .running)], tasks), "cycle-through-task-group")
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(
      found.evidence
        == .cycle(
          [
            Diagnosis.BlockedWait(.task(0x1000), .children(0x1000), by: .task(0x2000)),
            Diagnosis.BlockedWait(.task(0x2000), .end(0x1000), by: .task(0x1000)),
          ], others: []))
    #expect(found.edges.filter(\.isMarked).count == 3)
  }

  @Test("a task without a group that awaits a task which waits for its group is no cycle")
  func otherGroup() {
    var tasks = Self.group(Self.awaits(0x2000, .task, 0x1000, at: 51))
    tasks[1].parentTask = nil
    #expect(Diagnosis(of: Self.process([S.other(1, .running)], tasks)) == nil)
  }

  @Test("a task that waits for its group can continue while a child in it can")
  func liveGroup() {
    let tasks = Self.group(Self.awaits(0x2000, .task, 0x3000, at: 51))
    #expect(Diagnosis(of: Self.process([S.other(1, .running)], tasks)) == nil)
  }

  @Test("a task that awaits itself is a self wait")
  func itself() throws {
    let found = try explained(
      Self.process(
        [S.waiting(1, .semaphore, 0xa, isMain: true)],
        [Self.awaits(0x1000, .task, 0x1000, at: 41)]), "self-task")
    #expect(found.cause == .self)
    #expect(found.isCertain)
    #expect(
      found.evidence
        == .selfWait(.task(0x1000), .end(0x1000), Diagnosis.Object(.task, 0x1000)))
  }

  @Test("a task that awaits an unknown task can continue while a thread can")
  func unknownTask() {
    let chain = [Self.awaits(0x1000, .task, 0x2000, at: 41)]
    #expect(Diagnosis(of: Self.process([S.other(1, .running)], chain)) == nil)
  }

  @Test("a cycle may lead through a thread that runs one of the tasks")
  func throughThread() throws {
    var worker = S.waiting(7, .mutex, 0xb, pool: S.defaultPool)
    worker.task = 0x2000
    var holder = S.waiting(8, .mutex, 0xd, held: [S.has(0xb)])
    holder.task = 0x3000
    let other = S.waiting(9, .thread, 7, held: [S.has(0xd)])
    let found = try explained(
      Self.process([worker, holder, other], [Self.awaits(0x1000, .task, 0x2000, at: 41)]),
      "cycle-besides-a-task")
    guard case .cycle(let waits, let others) = found.evidence else {
      Issue.record("no cycle: \(found.evidence)")
      return
    }
    #expect(waits.map(\.waiter) == [.thread(7), .thread(8), .thread(9)])
    #expect(others == [.task(0x1000)])
  }

  private static func onActor(_ wait: WaitSnapshot.ObjectKind) -> WaitSnapshot.Thread {
    S.waiting(
      7, wait, 0xa, held: [WaitSnapshot.Held(kind: .actor, object: 0xac)], pool: S.defaultPool)
  }

  @Test("a thread that blocks on an actor which a task waits to enter is a cycle")
  func blockedActor() throws {
    let found = try explained(
      Self.process(
        [S.other(1, .listening, isMain: true), Self.onActor(.semaphore)],
        [
          Self.awaits(0x1000, .actor, 0xac, at: 41), Self.awaits(0x2000, .task, 0x1000, at: 51),
        ]), "blocked-actor")
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(
      found.evidence
        == .blockedActor(
          0xac, holder: .thread(7), signal: Diagnosis.Object(.semaphore, 0xa),
          entering: [.task(0x1000)], others: [.task(0x2000)]))
    #expect(found.advice == .awaitOnActor)
  }

  @Test("a thread that blocks on an actor which no task waits to enter lacks a signal")
  func unwantedActor() throws {
    let found = try #require(
      Diagnosis(
        of: Self.process(
          [Self.onActor(.semaphore)], [Self.awaits(0x1000, .actor, 0xad, at: 41)])))
    #expect(found.cause == .lostWakeUp)
  }

  @Test("a thread that blocks on an actor can continue while another thread may signal")
  func signalledActor() {
    #expect(
      Diagnosis(
        of: Self.process(
          [Self.onActor(.semaphore), S.other(8, .running)],
          [Self.awaits(0x1000, .actor, 0xac, at: 41)])) == nil)
  }

  @Test("the report shows where tasks wait if only tasks wait and nothing can run")
  func onlyTasks() throws {
    let found = try explained(
      Self.process(
        [S.other(1, .listening, isMain: true)], [Self.awaits(0x1000, .task, 0x2000, at: 41)]),
      "unknown-only-tasks")
    #expect(found.cause == .unknown)
    #expect(!found.isCertain)
    #expect(found.evidence == .stuck([.task(0x1000)]))
  }
}
