import Dispatch
import Foundation
import Programs

/// Semaphores that are never signalled, signalled too rarely, used as locks, or signalled by code
/// queued behind the waiting one.
let semaphorePrograms: [Program] = [
  Program(
    "completion-not-called",
    "a thread waits for a completion handler that is not called after an error",
    .hangs(.lostWakeUp),
    source: "A semaphore over a callback: one path of the callee never calls back",
    completionNotCalled),
  Program(
    "one-signal-for-two", "two threads wait at a semaphore that is signalled once",
    .hangs(.lostWakeUp),
    source: "A. B. Downey, \"The Little Book of Semaphores\": the turnstile that is not turned",
    oneSignalForTwo),
  Program(
    "semaphores-as-locks-crossed", "two semaphores of 1 are taken as locks, in opposite orders",
    .hangs(.cycle),
    source: "A. B. Downey, \"The Little Book of Semaphores\": two mutexes in two orders",
    semaphoresAsLocksCrossed),
  Program(
    "semaphore-lock-retaken", "a thread takes a semaphore of 1 that it already holds",
    .hangs(.itself),
    source: "PINCache 2: enumeration calls a block under the semaphore, which reads",
    semaphoreLockRetaken),
  Program(
    "main-thread-waits-for-main-queue", "the main thread waits for a block of the main queue",
    .hangs(.starvation),
    source: "A synchronous wrapper around an API that calls back on the main queue",
    mainThreadWaitsForMainQueue),
  Program(
    "serial-queue-waits-behind", "a block on a serial queue waits for a later block of it",
    .hangs(.starvation),
    source: "A delegate queue that waits for its own delegate, as with URLSession",
    serialQueueWaitsBehind),
  Program(
    "wait-until-the-distant-future", "a thread waits until the distant future for a lost answer",
    .hangs(.lostWakeUp),
    source: "Dispatch: a wait with DispatchTime.distantFuture is DISPATCH_TIME_FOREVER",
    waitUntilTheDistantFuture),
  Program(
    "timer-never-resumed",
    "a thread waits for the first tick of a Dispatch timer that is never resumed",
    .hangs(.lostWakeUp),
    source: "DispatchSourceTimer: it is created suspended, and must be resumed",
    timerNeverResumed),
]

/// Wrong: a limit in the distant future is no limit. The answer arrives before the wait, and is
/// discarded.
private func waitUntilTheDistantFuture() {
  let answered = DispatchSemaphore(value: 0)
  let asked = DispatchGroup()
  startThread(in: asked) {
    // A signal that was already pending is not a new answer.
    if answered.signal() == 0 { answered.wait() }
  }
  asked.wait()
  _ = answered.wait(timeout: .distantFuture)
}

/// Wrong: one path of the asynchronous call forgets its caller. A semaphore over a callback, as on
/// Stack Overflow.
private func completionNotCalled() {
  func load(_ name: String, completion: @escaping @Sendable (String) -> Void) {
    DispatchQueue.global().async {
      guard !name.isEmpty else { return }
      completion("contents of \(name)")
    }
  }

  let loaded = DispatchSemaphore(value: 0)
  load("") { _ in loaded.signal() }
  loaded.wait()
}

/// Wrong: "it is ready" is one signal, which one waiter consumes. The turnstile of Downey, "The
/// Little Book of Semaphores", admits the next one.
private func oneSignalForTwo() {
  let ready = DispatchSemaphore(value: 0)
  let passed = DispatchGroup()
  for _ in 0..<2 {
    passed.enter()
    Thread.detachNewThread {
      ready.wait()
      passed.leave()
    }
  }
  ready.signal()
  passed.wait()
}

/// Wrong: as any two locks in two orders.
private func semaphoresAsLocksCrossed() {
  let memory = DispatchSemaphore(value: 1)
  let disk = DispatchSemaphore(value: 1)
  let meeting = Meeting()
  Thread.detachNewThread {
    memory.wait()
    meeting.come()
    disk.wait()
    disk.signal()
    memory.signal()
  }
  disk.wait()
  meeting.comeToo()
  memory.wait()
  memory.signal()
  disk.signal()
}

/// Wrong: a semaphore has no owner, so it cannot be recursive. PINCache 2: a block called under the
/// semaphore reads.
private func semaphoreLockRetaken() {
  final class Cache: @unchecked Sendable {
    private let lock = DispatchSemaphore(value: 1)
    private var values = ["a": 1, "b": 2]

    func value(for key: String) -> Int? {
      lock.wait()
      defer { lock.signal() }
      return values[key]
    }

    func forEach(_ body: (String) -> Void) {
      lock.wait()
      defer { lock.signal() }
      for key in values.keys { body(key) }
    }
  }

  let cache = Cache()
  cache.forEach { _ = cache.value(for: $0) }
}

/// Wrong: the answer arrives on the main queue, whose only thread waits for it. A "synchronous"
/// wrapper around an API that calls back on main.
private func mainThreadWaitsForMainQueue() {
  func load(completion: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async {
      DispatchQueue.main.async(execute: completion)
    }
  }

  let shown = DispatchSemaphore(value: 0)
  DispatchQueue.main.async {
    let loaded = DispatchSemaphore(value: 0)
    load { loaded.signal() }
    loaded.wait()
    shown.signal()
  }
  shown.wait()
}

/// Wrong: the delegate's queue is the one that waits. `URLSession` with a blocked delegate queue.
private func serialQueueWaitsBehind() {
  let delegateQueue = DispatchQueue(label: "delegate")
  let stored = DispatchSemaphore(value: 0)
  delegateQueue.async {
    let answered = DispatchSemaphore(value: 0)
    delegateQueue.async { answered.signal() }
    answered.wait()
    stored.signal()
  }
  stored.wait()
}

/// Wrong: a source is created suspended, and handles nothing before `resume()`.
private func timerNeverResumed() {
  let ticked = DispatchSemaphore(value: 0)
  let timer = DispatchSource.makeTimerSource()
  timer.schedule(deadline: .now())
  timer.setEventHandler { ticked.signal() }
  // A suspended source must not be freed.
  withExtendedLifetime(timer) { ticked.wait() }
}
