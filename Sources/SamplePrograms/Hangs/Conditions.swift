import Dispatch
import Foundation
import PredictPrograms
import Programs

/// Conditions that are signalled too early, too rarely, or never.
let conditionPrograms: [Program] = [
  Program(
    "condition-signalled-early", "an NSCondition is signalled before any thread waits on it",
    .hangs(.lostWakeUp),
    source: "Goetz et al., \"Java Concurrency in Practice\", 14.2.3: missed signals",
    conditionSignalledEarly),
  Program(
    "condition-one-signal-for-two", "two threads wait at a POSIX condition, and one is woken",
    .hangs(.lostWakeUp), source: "pthread_cond_signal(3) where pthread_cond_broadcast(3) is needed",
    conditionOneSignalForTwo),
  Program(
    "barrier-one-missing", "two threads wait for a third at a barrier over an NSCondition",
    .hangs(.lostWakeUp),
    source: "java.util.concurrent.CyclicBarrier: a barrier breaks when one party gives up",
    barrierOneMissing),
]

/// Wrong: a condition has no memory; the event must be recorded in a variable that is read under
/// the lock. "Lost wake-up": Goetz et al., "Java Concurrency in Practice", 14.2.3 (missed signals).
private func conditionSignalledEarly() {
  let loaded = NSCondition()
  let told = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    loaded.lock()
    loaded.signal()
    loaded.unlock()
    told.signal()
  }
  // The loader signals first.
  told.wait()
  loaded.lock()
  loaded.wait()
  loaded.unlock()
}

/// Wrong: both threads wait for the same event, so it needs `broadcast`.
private func conditionOneSignalForTwo() {
  final class Flag: @unchecked Sendable {
    let mutex = PosixMutex()
    let changed = PosixCondition()
    var isUp = false
  }

  let flag = Flag()
  let locked = DispatchSemaphore(value: 0)
  let passed = DispatchGroup()
  for _ in 0..<2 {
    passed.enter()
    Thread.detachNewThread {
      flag.mutex.lock()
      locked.signal()
      while !flag.isUp { flag.mutex.wait(at: flag.changed) }
      flag.mutex.unlock()
      passed.leave()
    }
  }
  for _ in 0..<2 { locked.wait() }
  // Both threads wait at the condition, otherwise the mutex would not be free.
  flag.mutex.lock()
  flag.isUp = true
  flag.changed.signal()
  flag.mutex.unlock()
  passed.wait()
}

/// Wrong: a thread that gives up must tell the threads that count on it. `CyclicBarrier` breaks for
/// this reason.
private func barrierOneMissing() {
  final class Barrier: @unchecked Sendable {
    private let changed = NSCondition()
    private var missing: Int

    init(parties: Int) { missing = parties }

    func arriveAndWait() {
      changed.withLock {
        missing -= 1
        if missing == 0 { changed.broadcast() }
        while missing > 0 { changed.wait() }
      }
    }
  }

  let barrier = Barrier(parties: 3)
  for input in ["1", "x"] {
    Thread.detachNewThread {
      guard Int(input) != nil else { return }
      barrier.arriveAndWait()
    }
  }
  barrier.arriveAndWait()
}
