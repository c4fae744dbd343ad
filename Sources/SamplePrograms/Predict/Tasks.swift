import Dispatch
import Foundation
import Programs

/// Locks and waits in tasks, which share a few threads.
let taskPrograms: [Program] = [
  Program(
    "lock-across-await", "a task awaits between the lock and the unlock of an NSLock",
    .predicts(.lockAcrossAwait),
    source: "SE-0306 and NSLock: a thread owns the lock, and a task awaits",
    lockAcrossAwait),
  Program(
    "lock-between-awaits",
    "a task locks an NSLock between two awaits, and unlocks it before the next", .predicts(),
    source: "SE-0306 and NSLock: a thread owns the lock, and a task awaits",
    lockBetweenAwaits),
  Program(
    "semaphore-wait-in-task", "a task waits at a DispatchSemaphore for a callback",
    .predicts(.blockingWaitInTask),
    source: "WWDC 2021, Swift concurrency, Behind the scenes: primitives that hide a dependency",
    semaphoreWaitInTask),
  Program(
    "continuation-in-task", "a task awaits a continuation that a callback resumes", .predicts(),
    source: "SE-0300: continuations for interfacing tasks with synchronous code",
    continuationInTask),
  Program(
    "group-wait-in-task", "a task waits for a DispatchGroup of two blocks",
    .predicts(.blockingWaitInTask),
    source: "WWDC 2021, Swift concurrency, Behind the scenes: primitives that hide a dependency",
    groupWaitInTask),
  Program(
    "group-notify-in-task", "a task awaits a continuation that the group's notification resumes",
    .predicts(), source: "SE-0300: continuations for interfacing tasks with synchronous code",
    groupNotifyInTask),
  Program(
    "tasks-both-ways", "two tasks nest two NSLocks either way", .predicts(.lockOrder),
    source: .lockdep, tasksBothWays),
  Program(
    "one-task-both-ways", "one task nests two NSLocks either way, with an await between",
    .predicts(), source: .lockdep,
    oneTaskBothWays),
  Program(
    "under-an-actor", "an actor's methods nest two NSLocks either way", .predicts(),
    source: "SE-0306: an actor runs one task at a time", underAnActor),
]

/// Runs a task from a thread outside all pools, and blocks until it has ended.
private func runTask(_ body: @escaping @Sendable () async -> Void) {
  let ended = DispatchSemaphore(value: 0)
  Task {
    await body()
    ended.signal()
  }
  ended.wait()
}

/// A lock with its own methods: an asynchronous function may not call NSLock's.
private final class Guarded: @unchecked Sendable {
  private let lock = NSLock()
  func enter() { lock.lock() }
  func leave() { lock.unlock() }
  func with(_ body: () -> Void) { lock.withLock(body) }
}

/// Wrong: after the `await`, another thread may run the unlock; and meanwhile the thread that holds
/// the lock runs other tasks, which may want it. The unlock is left out here for that reason.
private func lockAcrossAwait() {
  let state = Guarded()
  runTask {
    state.enter()
    await Task.yield()
    try? await Task.sleep(nanoseconds: 1_000_000)
  }
}

private func lockBetweenAwaits() {
  let state = Guarded()
  runTask {
    for _ in 0..<20 {
      await Task.yield()
      state.enter()
      state.leave()
      await Task.yield()
    }
  }
}

/// Wrong: the pool has only as many threads as processors. With as many such tasks, the callback's
/// task never runs.
private func semaphoreWaitInTask() {
  @Sendable func ask(_ callback: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.01)
      callback()
    }
  }
  @Sendable func answer() {
    let answered = DispatchSemaphore(value: 0)
    ask { answered.signal() }
    answered.wait()
  }
  runTask { answer() }
}

private func continuationInTask() {
  @Sendable func ask(_ callback: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.01)
      callback()
    }
  }
  runTask {
    await withCheckedContinuation { continuation in ask { continuation.resume() } }
  }
}

private func groupWaitInTask() {
  @Sendable func fetchBoth() {
    let both = DispatchGroup()
    for _ in 0..<2 {
      DispatchQueue.global().async(group: both) { Thread.sleep(forTimeInterval: 0.05) }
    }
    both.wait()
  }
  runTask { fetchBoth() }
}

private func groupNotifyInTask() {
  runTask {
    await withCheckedContinuation { continuation in
      let both = DispatchGroup()
      for _ in 0..<2 {
        DispatchQueue.global().async(group: both) { Thread.sleep(forTimeInterval: 0.05) }
      }
      both.notify(queue: .global()) { continuation.resume() }
    }
  }
}

private func tasksBothWays() {
  let left = Guarded()
  let right = Guarded()
  runTask { left.with { right.with {} } }
  runTask { right.with { left.with {} } }
}

/// Right: only this task takes the locks, one pair after the other.
private func oneTaskBothWays() {
  let left = Guarded()
  let right = Guarded()
  runTask {
    for _ in 0..<50 {
      left.with { right.with {} }
      await Task.yield()
      right.with { left.with {} }
      await Task.yield()
    }
  }
}

/// Right: the actor admits one task at a time.
private func underAnActor() {
  actor Ledger {
    private let left = Guarded()
    private let right = Guarded()
    func post() { left.with { right.with {} } }
    func revert() { right.with { left.with {} } }
  }
  let ledger = Ledger()
  runTask {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { await ledger.post() }
        group.addTask { await ledger.revert() }
      }
    }
  }
}
