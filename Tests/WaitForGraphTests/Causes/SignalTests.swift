import Testing
import WaitForGraph

/// Work items and groups whose own blocks wait for them, and signals that only threads which the
/// waiter blocks could send.
@Suite("Waits from inside")
struct SignalTests {
  private static func thread(
    _ id: Int, waits kind: WaitSnapshot.ObjectKind, _ object: UInt,
    held: [WaitSnapshot.Held] = [], runs: [WaitSnapshot.Run] = []
  ) -> WaitSnapshot.Thread {
    WaitSnapshot.Thread(
      id: id, wait: WaitSnapshot.Wait(kind: kind, object: object), held: held, runs: runs)
  }

  @Test("a work item that waits for itself is certain, even if other threads run")
  func workItem() throws {
    let inside = Self.thread(
      1, waits: .workItem, 9, runs: [WaitSnapshot.Run(queue: 5, workItem: 9)])
    let busy = WaitSnapshot.Thread(id: 2, elsewhere: .running)
    let found = try explained(WaitSnapshot(threads: [inside, busy]), "self-work-item")
    #expect(found.cause == .self)
    #expect(found.isCertain)
    #expect(found.advice == .waitOutside)
  }

  @Test("a thread that waits for a work item which runs elsewhere can continue")
  func workItemElsewhere() {
    let waiter = Self.thread(1, waits: .workItem, 9)
    let worker = WaitSnapshot.Thread(
      id: 2, elsewhere: .running, runs: [WaitSnapshot.Run(queue: 5, workItem: 9)])
    #expect(Diagnosis(of: WaitSnapshot(threads: [waiter, worker])) == nil)
  }

  @Test("a block of a group that waits for the group is certain, even if other threads run")
  func group() throws {
    let inside = Self.thread(1, waits: .group, 9, runs: [WaitSnapshot.Run(queue: 5, group: 9)])
    let busy = WaitSnapshot.Thread(id: 2, elsewhere: .running)
    let found = try explained(WaitSnapshot(threads: [inside, busy]), "self-group")
    #expect(found.cause == .self)
    #expect(found.isCertain)
    #expect(found.advice == .waitOutside)
  }

  @Test("a group with a block that runs is no hang, even if a block of another group waits")
  func groupElsewhere() {
    let waiter = Self.thread(1, waits: .group, 9, runs: [WaitSnapshot.Run(queue: 5, group: 8)])
    let worker = WaitSnapshot.Thread(
      id: 2, elsewhere: .running, runs: [WaitSnapshot.Run(queue: 5, group: 9)])
    #expect(Diagnosis(of: WaitSnapshot(threads: [waiter, worker])) == nil)
  }

  private static let held = [WaitSnapshot.Held(kind: .mutex, object: 7)]

  @Test(
    "a thread that waits for a signal while the only possible sender waits for its lock is a cycle"
  )
  func awaitedUnderLock() throws {
    let waiter = Self.thread(1, waits: .semaphore, 9, held: Self.held)
    let victim = Self.thread(2, waits: .mutex, 7)
    let joiner = Self.thread(3, waits: .thread, 1)
    let found = try explained(WaitSnapshot(threads: [waiter, victim, joiner]), "signal-cycle")
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(
      found.evidence
        == .signalCycle(
          waiter: .thread(1), signal: Diagnosis.Object(.semaphore, 9), has: 7,
          blocked: [.thread(2), .thread(3)]))
  }

  @Test("a wait is a lost wake-up if a thread that the waiter does not block might have signalled")
  func anotherMightHaveSignalled() throws {
    let waiter = Self.thread(1, waits: .semaphore, 9, held: Self.held)
    let victim = Self.thread(2, waits: .mutex, 7)
    let other = Self.thread(3, waits: .semaphore, 10)
    let found = try #require(Diagnosis(of: WaitSnapshot(threads: [waiter, victim, other])))
    #expect(found.cause == .lostWakeUp)
    #expect(found.isCertain)
  }

  @Test("a wait from inside is no hang while another thread runs")
  func anotherThreadRuns() {
    let waiter = Self.thread(1, waits: .semaphore, 9, held: Self.held)
    let victim = Self.thread(2, waits: .mutex, 7)
    let busy = WaitSnapshot.Thread(id: 3, elsewhere: .running)
    #expect(Diagnosis(of: WaitSnapshot(threads: [waiter, victim, busy])) == nil)
  }

  @Test(
    "a Swift mutex that its own thread locks again is reported before the runtime ends the process"
  )
  func swiftMutex() throws {
    var snapshot = WaitSnapshot(threads: [WaitSnapshot.Thread(id: 1, elsewhere: .running)])
    snapshot.selfWait = WaitSnapshot.SelfWait(
      thread: 1, kind: .swiftMutex, object: 7, traps: true)
    let found = try explained(snapshot, "self-swift-mutex")
    #expect(found.cause == .self)
    #expect(
      found.evidence == .ownCall(thread: 1, Diagnosis.Object(.swiftMutex, 7), traps: true))
  }
}
