import Interlock
import Testing

@testable import StressRunner
import ProcessInspection
import Hangs

/// The cause of a deadlock follows from the observation, and is `unknown` if that is not enough.
@Suite("The cause of a deadlock")
struct DeadlockCauseTests {
  static func frame(_ function: String, image: String? = nil, line: Int? = nil) -> StackFrame {
    StackFrame(
      address: UInt(bitPattern: function.hashValue), function: function,
      file: line == nil ? nil : "/src/Cache.swift", line: line, image: image)
  }

  static let libc = "libc.so.6"
  static let dispatch = "libdispatch.so"
  static let semaphoreWait = [
    frame("__futex_abstimed_wait_common", image: libc),
    frame("_dispatch_semaphore_wait_slow", image: dispatch),
  ]
  static let mutexWait = [
    frame("__lll_lock_wait", image: libc), frame("pthread_mutex_lock", image: libc),
  ]
  static let user = [frame("Cache.get(_:)", image: "app", line: 42)]
  static let worker = [
    frame("_dispatch_worker_thread", image: dispatch), frame("start_thread", image: libc),
  ]
  static let job =
    [frame("swift::runJobInEstablishedExecutorContext", image: "libswift_Concurrency.so")] + worker
  static let main = [
    frame("_dispatch_group_wait_slow", image: dispatch), frame("main", image: "app"),
  ]

  static func group(
    _ count: Int, _ stack: [StackFrame], state: String = "sleeping"
  ) -> Observation.ThreadGroup {
    Observation.ThreadGroup(count: count, name: "thread", state: state, stack: stack)
  }

  /// The verdict on a child that stalled 2 s before it was ended at 3 s.
  static func verdict(
    _ groups: [Observation.ThreadGroup], counts: [(Double, Int)] = [(0.1, 5)],
    completed: Int = 0, waiting: Int = 900
  ) -> Verdict {
    var observation = Observation(ending: .stalled, operations: 1000)
    observation.completed = completed
    observation.seconds = 3
    observation.detectionSeconds = 2
    observation.processors = 2
    observation.callersInside = 3
    observation.callersWaiting = waiting
    observation.threads = groups + [group(1, main)]
    observation.threadCounts = counts.map { .init(seconds: $0.0, threads: $0.1) }
    return Judge.verdict(of: observation, in: makeScenario(callers: 1000))
  }

  static let growing: [(Double, Int)] = [(0.1, 5), (1.9, 6), (2.9, 7)]

  /// The state of the pools in the verdict.
  static func pools(
    _ groups: [Observation.ThreadGroup], counts: [(Double, Int)] = [(0.1, 5)], completed: Int = 0
  ) -> Verdict.PoolState? {
    guard
      case .deadlock(.pools(let state, nil)) = verdict(
        groups, counts: counts, completed: completed)
    else { return nil }
    return state
  }

  @Test("A deadlock is starvation if a pool grew without progress and its workers wait")
  func growingPool() {
    let workers = Self.group(6, Self.semaphoreWait + Self.user + Self.worker)
    let state = Self.pools([workers], counts: Self.growing)
    #expect(state == .dispatchPoolGrew(by: 2, workers: 6))
    #expect(state?.cause == .starvation)
  }

  @Test("A deadlock is starvation even if only the threads' names show that they belong to a pool")
  func unnamedFrames() {
    var workers = Self.group(
      6, Self.user + [StackFrame(address: 7, image: "libdispatch.so")])
    workers.name = "oot.default-qos"
    #expect(
      Self.pools([workers], counts: Self.growing) == .dispatchPoolGrew(by: 2, workers: 6))
  }

  @Test("A deadlock is starvation if a pool is at its limit")
  func poolAtLimit() {
    let state = Self.pools([Self.group(255, Self.semaphoreWait + Self.user + Self.worker)])
    #expect(state == .dispatchPoolFull(workers: 255))
    #expect(state?.cause == .starvation)
  }

  @Test("A deadlock is starvation if all threads of the Swift task pool and callers wait")
  func taskPool() {
    let state = Self.pools([Self.group(2, Self.semaphoreWait + Self.user + Self.job)])
    #expect(state == .taskPoolFull(threads: 2))
    #expect(state?.cause == .starvation)
  }

  @Test("A deadlock's cause is unknown if one thread of the Swift task pool is free")
  func taskPoolNotFull() {
    let state = Self.pools([Self.group(1, Self.semaphoreWait + Self.user + Self.job)])
    #expect(state == .nothingQueued(workers: 1))
    #expect(state?.cause == .unknown)
  }

  @Test("A deadlock's cause is unknown if the pool did not grow: no work was queued")
  func noGrowth() {
    let workers = Self.group(6, Self.semaphoreWait + Self.user + Self.worker)
    #expect(Self.pools([workers]) == .nothingQueued(workers: 6))
  }

  @Test("A deadlock's cause is unknown if no pool worker is blocked, whatever grew")
  func plainThreads() {
    let state = Self.pools(
      [Self.group(6, Self.semaphoreWait + Self.user)], counts: Self.growing)
    #expect(state == .noWorkers)
    #expect(state?.cause == .unknown)
  }

  @Test("A deadlock's cause is unknown if a pool has only idle workers")
  func idleWorkers() {
    let state = Self.pools(
      [Self.group(3, Self.semaphoreWait + Self.worker)], counts: Self.growing)
    #expect(state == .noWorkers)
  }

  @Test("A deadlock's cause is unknown if all workers wait for locks, as more would not help")
  func locks() {
    let workers = Self.group(6, Self.mutexWait + Self.user + Self.worker)
    let state = Self.pools([workers], counts: Self.growing)
    #expect(state == .lockWaits)
    #expect(state?.cause == .unknown)
    // A single worker that holds the lock and waits for the pool makes it starvation.
    let holder = Self.group(1, Self.semaphoreWait + Self.user + Self.worker)
    #expect(
      Self.pools([workers, holder], counts: Self.growing)
        == .dispatchPoolGrew(by: 2, workers: 7))
  }

  @Test("A deadlock's cause is unknown without stacks, too")
  func noStacks() {
    #expect(Self.pools([Self.group(3, [])], completed: 1000) == .noWorkers)
  }
}
