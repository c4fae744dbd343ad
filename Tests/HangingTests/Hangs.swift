import Dispatch
import Foundation
import Synchronization

/// Blocks the thread of a task.
func block(at semaphore: DispatchSemaphore) {
  semaphore.wait()  // testSemaphoresInTasks: waits
}

/// Keeps a continuation that is never resumed.
func keep(_ continuation: CheckedContinuation<Void, Never>) {
  kept.withLock { $0.append(continuation) }
}

private let kept = Mutex<[CheckedContinuation<Void, Never>]>([])

/// An actor whose thread waits for another of its methods.
actor Gate {
  private let opened = DispatchSemaphore(value: 0)
  private nonisolated let entered = AsyncStream.makeStream(of: Void.self)

  func enter() {
    entered.continuation.yield()
    opened.wait()  // testActorBlocked, actorBlocked: blocks
  }

  func open() { opened.signal() }

  nonisolated func waitUntilEntered() async {
    for await _ in entered.stream { return }
  }
}

/// Two tasks that await each other.
func crossTasks() async {
  let (handles, handle) = AsyncStream.makeStream(of: Task<Void, Never>.self)
  let first = Task {
    for await second in handles {
      await second.value  // testTasksCrossed, tasksCrossed: first
      return
    }
  }
  let second = Task {
    await first.value  // testTasksCrossed, tasksCrossed: second
  }
  handle.yield(second)
  await first.value
}

/// A task that awaits the children of its throwing group, one of which awaits the task.
func crossThrowingGroup() async {
  let (handles, handle) = AsyncStream.makeStream(of: Task<Void, any Error>.self)
  let owner = Task {
    try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask { 1 }
      group.addTask {
        for await owner in handles {
          try await owner.value  // testThrowingGroupCrossed: child
        }
        return 2
      }
      for try await _ in group {}  // testThrowingGroupCrossed: waits
    }
  }
  handle.yield(owner)
  try? await owner.value
}

/// Takes a lock that stays locked, and exists.
func leaveLocked() {
  let lock = NSLock()
  keptLocks.withLock { $0.append(lock) }
  lock.lock()  // leftLocked, heldAcrossAwait, testLeftLocked: takes
}

private let keptLocks = Mutex<[NSLock]>([])
