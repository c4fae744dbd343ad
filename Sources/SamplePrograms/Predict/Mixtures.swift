import Dispatch
import Foundation
import Programs

/// Locks of several kinds.
let mixedPrograms: [Program] = [
  Program(
    "lock-and-queue-both-ways",
    "a thread holds an NSLock and syncs on a queue whose block wants the lock",
    .predicts(.lockOrder), source: .lockdep,
    lockAndQueueBothWays),
  Program(
    "lock-and-queue-asynchronously",
    "a thread holds an NSLock and calls async on a queue whose block wants the lock", .predicts(),
    source: .lockdep,
    lockAndQueueAsynchronously),
  Program(
    "mutex-and-read-lock-both-ways", "a reader takes a mutex whose holder writes",
    .predicts(.lockOrder), source: .lockdep,
    mutexAndReadLockBothWays),
  Program(
    "semaphore-and-lock-ring", "a semaphore, an NSLock and a queue are taken in a cycle",
    .predicts(.lockOrder), source: .lockdep,
    semaphoreAndLockRing),
  Program(
    "condition-under-lock",
    "a thread waits at a condition under a lock that its signaller takes too",
    .predicts(.lockOrder), source: .lockTakenAgain,
    conditionUnderLock),
  Program(
    "condition-before-lock", "a thread waits at a condition, and takes the lock afterwards",
    .predicts(), source: .lockTakenAgain,
    conditionBeforeLock),
]

/// Wrong: the block that takes the lock was submitted and ran long before, but any such block makes
/// the queue wait for the lock.
private func lockAndQueueBothWays() {
  let state = NSLock()
  let events = DispatchQueue(label: "events")
  events.async { state.withLock {} }
  events.sync {}
  inTurn({ state.withLock { events.sync {} } })
}

/// Right: the lock's holder does not wait for the queue.
private func lockAndQueueAsynchronously() {
  let state = NSLock()
  let events = DispatchQueue(label: "events")
  let handled = DispatchGroup()
  together(
    { for _ in 0..<50 { state.withLock { events.async(group: handled) { state.withLock {} } } } },
    { for _ in 0..<50 { events.sync { state.withLock {} } } })
  handled.wait()
}

private func mutexAndReadLockBothWays() {
  let table = PosixReadWriteLock()
  let counter = PosixMutex()
  inTurn(
    {
      table.lockToRead()
      counter.lock()
      counter.unlock()
      table.unlock()
    },
    {
      counter.lock()
      table.lockToWrite()
      table.unlock()
      counter.unlock()
    })
}

private func semaphoreAndLockRing() {
  let slots = DispatchSemaphore(value: 1)
  let state = NSLock()
  let events = DispatchQueue(label: "events")
  inTurn(
    {
      slots.wait()
      state.withLock {}
      slots.signal()
    },
    { state.withLock { events.sync {} } },
    {
      events.sync {
        slots.wait()
        slots.signal()
      }
    })
}

/// Wrong: the wait releases the mutex and takes it again afterwards, with the other lock still
/// held: in the opposite order to all other code. The wait itself does not hang, unlike a nested
/// monitor.
private func conditionUnderLock() {
  let queue = PosixMutex()
  let filled = PosixCondition()
  let journal = PosixMutex()
  let isWaiting = DispatchSemaphore(value: 0)
  let isFull = Flag()
  together(
    {
      queue.lock()
      journal.lock()
      isWaiting.signal()
      while !isFull.isSet { queue.wait(at: filled) }
      journal.unlock()
      queue.unlock()
    },
    {
      isWaiting.wait()
      queue.lock()
      isFull.isSet = true
      filled.signal()
      queue.unlock()
    })
  inTurn {
    queue.lock()
    journal.lock()
    journal.unlock()
    queue.unlock()
  }
}

/// Right: no other lock is held beside the mutex that the wait releases.
private func conditionBeforeLock() {
  let queue = PosixMutex()
  let filled = PosixCondition()
  let journal = PosixMutex()
  let isFull = Flag()
  together(
    {
      queue.lock()
      while !isFull.isSet { queue.wait(at: filled) }
      journal.lock()
      journal.unlock()
      queue.unlock()
    },
    {
      queue.lock()
      isFull.isSet = true
      filled.signal()
      journal.lock()
      journal.unlock()
      queue.unlock()
    })
}

/// A Bool that is accessed under a lock only.
private final class Flag: @unchecked Sendable {
  var isSet = false
}
