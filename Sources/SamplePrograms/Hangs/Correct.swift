import Dispatch
import Foundation
import PredictPrograms
import Programs
import Synchronization

/// Correct programs, some without progress for a long time: a hang reported here is a false alarm.
let correctPrograms: [Program] =
  correctLockPrograms
  + correctPoolPrograms
  + correctWaitPrograms + correctTaskWaitPrograms
  + correctJoinPrograms

/// Locks that are held for long, by many threads, or in an order that looks wrong.
private let correctLockPrograms: [Program] = [
  Program(
    "long-hold", "eight threads wait a second for an NSLock whose holder sleeps", .passes,
    source: "A holder that sleeps is not stuck", longHold),
  Program(
    "two-hundred-threads-on-one-lock", "200 threads take one POSIX mutex 4 times each", .passes,
    source: "A lock that is never free is not a cycle", timeSeconds: 300,
    twoHundredThreads),
  Program(
    "back-off", "two threads try two NSLocks in opposite orders, and back off if one is taken",
    .passes, source: "Goetz et al., \"Java Concurrency in Practice\", 13.1.1: polled locks",
    backOff),
  Program(
    "crosswise-inside-a-mutex",
    "two threads take two NSLocks crosswise, each inside withLock of one Mutex", .predicts(),
    source: "Helgrind and absl::Mutex report orders under a common outer lock",
    crosswiseInsideMutex),
  Program(
    "readers-and-writers", "20 readers and 4 writers hold a POSIX rwlock for 20 ms at a time",
    .passes, source: "Readers that delay writers, and end",
    readersAndWriters),
  Program(
    "deep-recursion", "threads take an NSRecursiveLock 100 levels deep, and sleep at the bottom",
    .passes, source: "The holder of a recursive lock does not wait when it takes the lock again",
    deepRecursion),
  Program(
    "nested-queues", "40 threads sync through three serial queues, in one order", .passes,
    source: "Nested sync calls in one order cannot be a cycle", nestedQueues),
]

private func longHold() {
  let lock = NSLock()
  let held = DispatchSemaphore(value: 0)
  let done = DispatchGroup()
  startThread(in: done) {
    lock.withLock {
      held.signal()
      Thread.sleep(forTimeInterval: 1)
    }
  }
  held.wait()
  for _ in 0..<8 {
    startThread(in: done) { lock.withLock {} }
  }
  done.wait()
}

private func twoHundredThreads() {
  let mutex = PosixMutex()
  let start = DispatchGroup()
  let done = DispatchGroup()
  start.enter()
  for _ in 0..<200 {
    startThread(in: done) {
      start.wait()
      for _ in 0..<4 {
        mutex.lock()
        // Lets the other threads queue up at the mutex.
        sched_yield()
        mutex.unlock()
      }
    }
  }
  start.leave()
  done.wait()
}

/// Each thread holds one lock and wants the other; there is no cycle, since neither waits.
private func crosswiseInsideMutex() {
  final class Accounts: Sendable {
    let gate = Mutex(())
    let left = NSLock()
    let right = NSLock()

    func leftFirst() { gate.withLock { _ in left.withLock { right.withLock {} } } }
    func rightFirst() { gate.withLock { _ in right.withLock { left.withLock {} } } }
  }

  let accounts = Accounts()
  let done = DispatchGroup()
  startThread(in: done) { for _ in 0..<1000 { accounts.leftFirst() } }
  startThread(in: done) { for _ in 0..<1000 { accounts.rightFirst() } }
  done.wait()
}

private func backOff() {
  @Sendable func takeBoth(_ first: NSLock, _ second: NSLock, meet: () -> Void) {
    first.lock()
    meet()
    var pause = 0.001
    while !second.try() {
      first.unlock()
      Thread.sleep(forTimeInterval: Double.random(in: 0...pause))
      pause = min(pause * 2, 0.1)
      first.lock()
    }
    second.unlock()
    first.unlock()
  }

  let left = NSLock()
  let right = NSLock()
  let meeting = Meeting()
  let done = DispatchGroup()
  startThread(in: done) { takeBoth(left, right, meet: meeting.come) }
  startThread(in: done) { takeBoth(right, left, meet: meeting.comeToo) }
  done.wait()
}

private func readersAndWriters() {
  let table = PosixReadWriteLock()
  let done = DispatchGroup()
  for number in 0..<24 {
    let writes = number % 6 == 0
    startThread(in: done) {
      for _ in 0..<3 {
        if writes { table.lockToWrite() } else { table.lockToRead() }
        Thread.sleep(forTimeInterval: 0.02)
        table.unlock()
      }
    }
  }
  done.wait()
}

private func deepRecursion() {
  let lock = NSRecursiveLock()
  @Sendable func descend(_ levels: Int) {
    lock.withLock {
      if levels > 0 { descend(levels - 1) } else { Thread.sleep(forTimeInterval: 0.2) }
    }
  }

  let done = DispatchGroup()
  for _ in 0..<4 {
    startThread(in: done) { descend(100) }
  }
  done.wait()
}

private func nestedQueues() {
  let network = DispatchQueue(label: "network")
  let model = DispatchQueue(label: "model")
  let database = DispatchQueue(label: "database")
  let done = DispatchGroup()
  for _ in 0..<40 {
    startThread(in: done) {
      network.sync {
        model.sync {
          database.sync { Thread.sleep(forTimeInterval: 0.01) }
        }
      }
    }
  }
  done.wait()
}
