import Dispatch
import Foundation
import Programs

/// Two orders that can never collide: a finding here is a false alarm.
let safeOrderPrograms: [Program] = [
  Program(
    "under-a-gate-lock", "two NSLocks are nested either way, always under a third", .predicts(),
    source: .gateLocks, underAGateLock),
  Program(
    "under-a-gate-queue", "two NSLocks are nested either way, always on one serial queue",
    .predicts(), source: .gateLocks,
    underAGateQueue),
  Program(
    "both-ways-on-one-thread", "one thread nests two NSLocks either way, and no other does",
    .predicts(),
    source:
      "K. Havelund, \"Using runtime analysis to guide model checking\" (SPIN 2000): single threads",
    bothWaysOnOneThread),
  Program(
    "try-and-back-off",
    "two threads try two NSLocks in opposite orders, and back off if one is taken", .predicts(),
    source: "Goetz et al., \"Java Concurrency in Practice\", 13.1.1: polled locks",
    tryAndBackOff),
  Program(
    "semaphore-as-signal", "a buffer of one: semaphores of 1 and 0 tell when it is free and filled",
    .predicts(),
    source: "E. W. Dijkstra, \"Cooperating sequential processes\" (EWD 123): the bounded buffer",
    semaphoreAsSignal),
  Program(
    "hand-over-hand", "threads go along a list, locking the next before they unlock the last",
    .predicts(), source: "Herlihy and Shavit, The Art of Multiprocessor Programming, 9.5",
    handOverHand),
  Program(
    "locks-at-one-address", "pairs of short-lived NSLocks are nested either way, each pair one way",
    .predicts(), source: "Valgrind manual, 7.4: lock orders, by address",
    locksAtOneAddress),
  Program(
    "operations-one-at-a-time", "operations of a queue of 1 nest two NSLocks either way",
    .predicts(), source: .lockdep,
    operationsOneAtATime),
]

private func underAGateLock() {
  let gate = NSLock()
  let left = NSLock()
  let right = NSLock()
  together(
    { for _ in 0..<100 { gate.withLock { left.withLock { right.withLock {} } } } },
    { for _ in 0..<100 { gate.withLock { right.withLock { left.withLock {} } } } })
}

private func underAGateQueue() {
  let gate = DispatchQueue(label: "gate")
  let left = NSLock()
  let right = NSLock()
  let done = DispatchGroup()
  together(
    { for _ in 0..<50 { gate.async(group: done) { left.withLock { right.withLock {} } } } },
    { for _ in 0..<50 { gate.sync { right.withLock { left.withLock {} } } } })
  done.wait()
}

private func bothWaysOnOneThread() {
  let left = NSLock()
  let right = NSLock()
  inTurn {
    for _ in 0..<100 {
      left.withLock { right.withLock {} }
      right.withLock { left.withLock {} }
    }
  }
}

private func tryAndBackOff() {
  let left = NSLock()
  let right = NSLock()
  @Sendable func takeBoth(_ first: NSLock, _ second: NSLock) {
    var isDone = false
    while !isDone {
      first.lock()
      if second.try() {
        isDone = true
        second.unlock()
      }
      first.unlock()
    }
  }
  together(
    { for _ in 0..<100 { takeBoth(left, right) } }, { for _ in 0..<100 { takeBoth(right, left) } })
}

/// Two semaphores, each waited for by one thread and signalled by the other, and a lock that both
/// threads take in between.
private func semaphoreAsSignal() {
  let isFree = DispatchSemaphore(value: 1)
  let isFilled = DispatchSemaphore(value: 0)
  let statistics = NSLock()
  together(
    {
      for _ in 0..<100 {
        isFree.wait()
        statistics.withLock {}
        isFilled.signal()
      }
    },
    {
      for _ in 0..<100 {
        isFilled.wait()
        statistics.withLock { _ = isFree.signal() }
      }
    })
}

private func handOverHand() {
  let nodes = (0..<20).map { _ in NSLock() }
  @Sendable func walk() {
    for _ in 0..<20 {
      nodes[0].lock()
      for index in 1..<nodes.count {
        nodes[index].lock()
        nodes[index - 1].unlock()
      }
      nodes[nodes.count - 1].unlock()
    }
  }
  together(walk, walk)
}

/// Each pair of locks is created, used and freed: the next pair reuses its memory, possibly in the
/// opposite order.
private func locksAtOneAddress() {
  @Sendable func use(inOrder: Bool) {
    for _ in 0..<200 {
      let first = NSLock()
      let second = NSLock()
      if inOrder {
        first.withLock { second.withLock {} }
      } else {
        second.withLock { first.withLock {} }
      }
    }
  }
  inTurn({ use(inOrder: true) }, { use(inOrder: false) })
  together({ use(inOrder: true) }, { use(inOrder: false) })
}

/// Foundation starts the next operation after the last has ended, and holds no lock of its own in
/// between.
private func operationsOneAtATime() {
  let left = NSLock()
  let right = NSLock()
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 1
  for _ in 0..<50 {
    queue.addOperation { left.withLock { right.withLock {} } }
    queue.addOperation { right.withLock { left.withLock {} } }
  }
  queue.waitUntilAllOperationsAreFinished()
}
