import Testing
import Hangs

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

  /// The sender of a channel waits for the receiver, under a lock that the receiver needs. A third
  /// thread waits for both.
  private static func channel(startedBy starter: Int) -> [WaitSnapshot.Thread] {
    var sender = Self.thread(1, waits: .condition, 9, held: Self.held)
    var receiver = Self.thread(2, waits: .mutex, 7)
    sender.startedBy = starter
    receiver.startedBy = starter
    return [sender, receiver, Self.thread(3, waits: .group, 10)]
  }

  @Test("a channel's send under a lock that the receiver needs is a cycle, though both are joined")
  func sendUnderLock() throws {
    let snapshot = WaitSnapshot(threads: Self.channel(startedBy: 3))
    let found = try explained(snapshot, "signal-cycle-of-a-channel")
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(
      found.evidence
        == .signalCycle(
          waiter: .thread(1), signal: Diagnosis.Object(.condition, 9), has: 7,
          blocked: [.thread(2), .thread(3)]))
    #expect(found.advice == .holdNothing)
  }

  @Test("a thread might have signalled if it did not start both threads, or waits for a third too")
  func mayNotJoin() throws {
    let strangers = WaitSnapshot(threads: Self.channel(startedBy: 90))
    #expect(try #require(Diagnosis(of: strangers)).cause == .lostWakeUp)
    var third = Self.thread(4, waits: .semaphore, 11)
    third.startedBy = 3
    let besides = WaitSnapshot(threads: Self.channel(startedBy: 3) + [third])
    #expect(try #require(Diagnosis(of: besides)).cause == .lostWakeUp)
    let busy = WaitSnapshot.Thread(id: 5, elsewhere: .running)
    #expect(Diagnosis(of: WaitSnapshot(threads: Self.channel(startedBy: 3) + [busy])) == nil)
  }

  /// A task that is suspended in a channel's send has left a mutex locked, on an idle thread.
  private static func suspended(_ signal: WaitSnapshot.Signal) -> WaitSnapshot {
    let holder = WaitSnapshot.Thread(
      id: 1, elsewhere: .idle,
      held: [
        WaitSnapshot.Held(
          kind: .mutex, object: 7, place: Snapshots.line(12), isLeft: true, leftBy: 0x70)
      ], pool: Snapshots.defaultPool)
    return WaitSnapshot(
      threads: [holder, thread(2, waits: .mutex, 7), thread(3, waits: .group, 10)],
      signals: [signal])
  }

  @Test("a task that holds a mutex across a channel's send is in a cycle with its receiver")
  func suspendedSender() throws {
    let waits = WaitSnapshot.Signal(id: 0x70, kind: .continuation, created: Snapshots.line(13))
    let found = try explained(Self.suspended(waits), "suspended-holder")
    #expect(found.cause == .cycle)
    #expect(found.isCertain)
    #expect(
      found.evidence
        == .suspendedHolder(
          0x70, signal: Diagnosis.Object(.continuation, 0x70), has: Diagnosis.Object(.mutex, 7),
          waiters: [.thread(2)], others: [.thread(3)]))
    #expect(found.advice == .holdNothing)
  }

  @Test("a task holds its mutex also when the thread on which it took it has ended")
  func suspendedSenderOfEndedThread() throws {
    let waits = WaitSnapshot.Signal(id: 0x70, kind: .continuation, created: Snapshots.line(13))
    var snapshot = Self.suspended(waits)
    snapshot.threads.removeFirst()
    snapshot.leftLocks = [
      WaitSnapshot.LeftLock(
        kind: .mutex, object: 7, place: Snapshots.line(12), thread: 1, leftBy: 0x70)
    ]
    let whole = try #require(Diagnosis(of: Self.suspended(waits)))
    #expect(try #require(Diagnosis(of: snapshot)).evidence == whole.evidence)
    // A resumed task no longer holds the mutex; a task that was not seen has abandoned it.
    snapshot.signals[0].releases = 1
    #expect(try #require(Diagnosis(of: snapshot)).cause == .abandonedLock)
    snapshot.signals[0].releases = 0
    snapshot.leftLocks[0].leftBy = nil
    #expect(try #require(Diagnosis(of: snapshot)).cause == .abandonedLock)
  }

  @Test("a mutex is abandoned if the task that left it locked does not wait for a signal")
  func endedSender() throws {
    // The task has been resumed, has ended, or is a different task.
    let resumed = WaitSnapshot.Signal(id: 0x70, kind: .continuation, releases: 1)
    let other = WaitSnapshot.Signal(id: 0x71, kind: .continuation)
    for signal in [resumed, other] {
      #expect(try #require(Diagnosis(of: Self.suspended(signal))).cause == .abandonedLock)
    }
    var busy = Self.suspended(WaitSnapshot.Signal(id: 0x70, kind: .continuation))
    busy.threads.append(WaitSnapshot.Thread(id: 4, elsewhere: .running))
    #expect(Diagnosis(of: busy) == nil)
  }

  @Test("a wait for a sender that the waiter blocks is no hang while another thread runs")
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
