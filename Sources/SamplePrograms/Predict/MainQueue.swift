import Dispatch
import Foundation
import Programs

/// The main queue as a lock: a thread that syncs on it waits for the main thread.
let mainQueuePrograms: [Program] = [
  Program(
    "main-queue-and-lock-both-ways",
    "a thread syncs on the main queue under an NSLock that a block there takes",
    .predicts(.lockOrder), source: .lockdep,
    mainQueueAndLockBothWays),
  Program(
    "lock-in-a-main-sync",
    "a thread syncs on the main queue under an NSLock, another takes it in a sync there",
    .predicts(.lockOrder), source: .lockdep,
    lockInAMainSync),
  Program(
    "observer-on-main-under-lock",
    "a notification for an observer on the main queue is posted under an NSLock taken there",
    .predicts(.lockOrder), source: .lockdep,
    observerOnMainUnderLock),
  Program(
    "main-queue-asynchronously",
    "a thread calls async on the main queue under an NSLock that a block there takes", .predicts(),
    source: .lockdep,
    mainQueueAsynchronously),
  Program(
    "lock-and-main-queue-one-way", "threads sync on the main queue under an NSLock, in one order",
    .predicts(), source: .lockdep,
    lockAndMainQueueOneWay),
  Program(
    "locks-in-a-main-sync-under-a-gate",
    "blocks of the main queue nest two NSLocks either way, and their callers hold a third",
    .predicts(), source: .lockdep,
    locksInAMainSyncUnderAGate),
  Program(
    "observer-on-main-after-unlock",
    "a notification for an observer on the main queue is posted when the NSLock is unlocked",
    .predicts(), source: .lockdep,
    observerOnMainAfterUnlock),
]

/// Waits until the main queue has run everything submitted before.
private func passMainQueue() {
  let passed = DispatchSemaphore(value: 0)
  DispatchQueue.main.async { passed.signal() }
  passed.wait()
}

/// Wrong: the block on the main queue waits for the lock, whose owner waits for the main queue.
private func mainQueueAndLockBothWays() {
  let state = NSLock()
  DispatchQueue.main.async { state.withLock {} }
  passMainQueue()
  inTurn({ state.withLock { DispatchQueue.main.sync {} } })
}

/// Wrong: as before, but a synchronous block takes the lock.
private func lockInAMainSync() {
  let state = NSLock()
  inTurn(
    { state.withLock { DispatchQueue.main.sync {} } },
    { DispatchQueue.main.sync { state.withLock {} } })
}

/// Wrong: on Linux `post` waits until the observer has run on its queue.
private func observerOnMainUnderLock() {
  let state = NSLock()
  postToMain(
    before: { DispatchQueue.main.async { state.withLock {} } },
    { post in state.withLock(post) })
}

/// Right: no lock is held while the notification is posted.
private func observerOnMainAfterUnlock() {
  let state = NSLock()
  postToMain(
    before: { DispatchQueue.main.async { state.withLock {} } },
    { post in
      state.withLock {}
      post()
    })
}

private func postToMain(
  before prepare: () -> Void, _ body: @escaping @Sendable (_ post: () -> Void) -> Void
) {
  let center = NotificationCenter()
  let name = Notification.Name("changed")
  // Long enough that `post` has to wait for the observer, even on a busy machine.
  let observer = center.addObserver(forName: name, object: nil, queue: .main) { _ in
    usleep(50_000)
  }
  prepare()
  passMainQueue()
  inTurn({ body { for _ in 0..<10 { center.post(name: name, object: nil) } } })
  center.removeObserver(observer)
}

/// Right: the owner of the lock does not wait for the main queue.
private func mainQueueAsynchronously() {
  let state = NSLock()
  let handled = DispatchGroup()
  together(
    {
      for _ in 0..<50 {
        state.withLock { DispatchQueue.main.async(group: handled) { state.withLock {} } }
      }
    },
    { for _ in 0..<50 { DispatchQueue.main.sync { state.withLock {} } } })
  handled.wait()
}

/// Right: the main queue's blocks take only `screen`, with which no thread waits for the main
/// queue.
private func lockAndMainQueueOneWay() {
  let state = NSLock()
  let screen = NSLock()
  @Sendable func show() {
    for _ in 0..<50 { state.withLock { DispatchQueue.main.sync { screen.withLock {} } } }
  }
  together(show, show, { for _ in 0..<50 { DispatchQueue.main.sync { screen.withLock {} } } })
}

/// Right: both callers hold the gate, which admits one at a time.
private func locksInAMainSyncUnderAGate() {
  let gate = NSLock()
  let left = NSLock()
  let right = NSLock()
  together(
    {
      for _ in 0..<50 {
        gate.withLock { DispatchQueue.main.sync { left.withLock { right.withLock {} } } }
      }
    },
    {
      for _ in 0..<50 { gate.withLock { right.withLock { left.withLock {} } } }
    })
}
