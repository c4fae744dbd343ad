import Dispatch
import Foundation
import Programs

/// Waits under a lock, and the code that signals them.
let signalPrograms: [Program] = [
  Program(
    "semaphore-signalled-under-waiters-lock",
    "a thread waits at a semaphore under an NSLock, and it is signalled under that lock only",
    .predicts(.lockOrder), source: .blockedSignaller,
    semaphoreSignalledUnderWaitersLock),
  Program(
    "group-left-under-waiters-lock",
    "a thread waits for a group under an NSLock, and the group is left under that lock only",
    .predicts(.lockOrder), source: .blockedSignaller,
    groupLeftUnderWaitersLock),
  Program(
    "group-of-a-queue-under-lock",
    "a thread waits under an NSLock for a group of a queue, whose other blocks take the lock",
    .predicts(.lockOrder), source: .blockedSignaller,
    { groupOfAQueue(isLocked: true) }),
  Program(
    "work-item-of-a-queue-under-lock",
    "a thread waits under an NSLock for a work item of a queue, whose other blocks take the lock",
    .predicts(.lockOrder), source: .blockedSignaller,
    { workItemOfAQueue(isLocked: true) }),
  Program(
    "semaphore-signalled-elsewhere-too",
    "a thread waits at a semaphore under an NSLock, and it is signalled without the lock too",
    .predicts(), source: .blockedSignaller,
    semaphoreSignalledElsewhereToo),
  Program(
    "semaphore-signalled-before-the-lock",
    "a thread waits at a semaphore under an NSLock, and it is signalled before the lock is taken",
    .predicts(), source: .blockedSignaller,
    semaphoreSignalledBeforeTheLock),
  Program(
    "semaphore-signalled-in-turn",
    "a semaphore is signalled under an NSLock, and its waiter takes the lock afterwards",
    .predicts(), source: .blockedSignaller,
    semaphoreSignalledInTurn),
  Program(
    "group-left-before-the-lock",
    "a thread waits for a group under an NSLock, and the group is left before the lock is taken",
    .predicts(), source: .blockedSignaller,
    groupLeftBeforeTheLock),
  Program(
    "group-of-a-queue-without-lock",
    "a thread waits for a group of a queue, whose other blocks take the lock, and then takes it",
    .predicts(), source: .blockedSignaller,
    { groupOfAQueue(isLocked: false) }),
  Program(
    "work-item-of-a-queue-without-lock",
    "a thread waits for a work item of a queue, whose other blocks take the lock, then takes it",
    .predicts(), source: .blockedSignaller,
    { workItemOfAQueue(isLocked: false) }),
  Program(
    "signalled-on-the-queue-that-waits",
    "a serial queue's first block signals what its second waits for", .predicts(),
    source: .blockedSignaller,
    signalledOnTheQueueThatWaits),
]

/// Runs the first body on a new thread, and the second after that has ended. The order is luck:
/// nothing in the program enforces it.
private func byLuck(_ first: @escaping @Sendable () -> Void, then second: @Sendable () -> Void) {
  let thread = Thread(block: first)
  thread.start()
  while !thread.isFinished { usleep(1_000) }
  second()
}

/// Wrong: if the waiter had come first, its lock would block the signalling thread. Goetz et al.,
/// "Java Concurrency in Practice", 14.2.1.
private func semaphoreSignalledUnderWaitersLock() {
  let state = NSLock()
  let isReady = DispatchSemaphore(value: 0)
  byLuck({ state.withLock { _ = isReady.signal() } }, then: { state.withLock { isReady.wait() } })
}

/// Wrong: as with the semaphore.
private func groupLeftUnderWaitersLock() {
  let state = NSLock()
  let loading = DispatchGroup()
  loading.enter()
  byLuck({ state.withLock { loading.leave() } }, then: { state.withLock { loading.wait() } })
}

/// Wrong if the lock is held: the queue's other blocks wait for the lock, and the group's blocks
/// are queued behind them.
private func groupOfAQueue(isLocked: Bool) {
  let state = NSLock()
  let events = DispatchQueue(label: "events")
  let handled = DispatchGroup()
  events.async { state.withLock {} }
  events.sync {}
  @Sendable func handle() {
    events.async(group: handled) {}
    handled.wait()
  }
  inTurn({
    if isLocked {
      state.withLock(handle)
    } else {
      handle()
      state.withLock {}
    }
  })
}

/// Wrong if the lock is held: as with the group.
private func workItemOfAQueue(isLocked: Bool) {
  let state = NSLock()
  let events = DispatchQueue(label: "events")
  events.async { state.withLock {} }
  events.sync {}
  @Sendable func handle() {
    let item = DispatchWorkItem {}
    events.async(execute: item)
    item.wait()
  }
  inTurn({
    if isLocked {
      state.withLock(handle)
    } else {
      handle()
      state.withLock {}
    }
  })
}

/// Right: the second signalling thread needs no lock, and its signal wakes the waiter.
private func semaphoreSignalledElsewhereToo() {
  let state = NSLock()
  let isReady = DispatchSemaphore(value: 0)
  together(
    { state.withLock { _ = isReady.signal() } },
    { isReady.signal() },
    { state.withLock { isReady.wait() } })
}

/// Right: the signalling thread takes the lock only after it has signalled.
private func semaphoreSignalledBeforeTheLock() {
  let state = NSLock()
  let isReady = DispatchSemaphore(value: 0)
  together(
    {
      isReady.signal()
      state.withLock {}
    },
    { state.withLock { isReady.wait() } })
}

/// Right: another semaphore keeps the waiter from taking the lock too early.
private func semaphoreSignalledInTurn() {
  let state = NSLock()
  let isReady = DispatchSemaphore(value: 0)
  let mayCome = DispatchSemaphore(value: 0)
  together(
    {
      state.withLock { _ = isReady.signal() }
      mayCome.signal()
    },
    {
      mayCome.wait()
      state.withLock { isReady.wait() }
    })
}

/// Right: as with the semaphore.
private func groupLeftBeforeTheLock() {
  let state = NSLock()
  let loading = DispatchGroup()
  loading.enter()
  together(
    {
      loading.leave()
      state.withLock {}
    },
    { state.withLock { loading.wait() } })
}

/// Right: a serial queue runs its blocks in the order of submission.
private func signalledOnTheQueueThatWaits() {
  let events = DispatchQueue(label: "events")
  let isReady = DispatchSemaphore(value: 0)
  for _ in 0..<20 {
    events.async { isReady.signal() }
    events.async { isReady.wait() }
  }
  events.sync {}
}
