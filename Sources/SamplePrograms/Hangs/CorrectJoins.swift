import Dispatch
import Foundation
import PredictPrograms
import Programs

/// The correct twins of the abandoned locks and of the joins.
let correctJoinPrograms: [Program] = [
  Program(
    "unlocked-on-every-path", "threads and blocks return early, and unlock with defer", .passes,
    source: "The correct twin of lock-left-by-thread and its kin",
    unlockedOnEveryPath),
  Program(
    "unlocked-for-another",
    "a thread ends with a POSIX mutex locked, which another unlocks half a second later", .passes,
    source: "The correct twin of lock-left-by-thread",
    unlockedForAnother),
  Program(
    "one-signal-for-each-block", "two blocks of a group wait at a semaphore, signalled for each",
    .passes, source: "The correct twin of two-blocks-one-signal",
    oneSignalForEachBlock),
  Program(
    "main-queue-after-lock",
    "a thread releases an NSLock that the main thread wants, and waits for the main queue", .passes,
    source: "The correct twin of main-queue-behind-lock",
    mainQueueAfterLock),
  Program(
    "unlocked-for-the-next-block",
    "a block ends with a POSIX mutex locked, which a thread unlocks for the next block", .passes,
    source: "The correct twin of lock-left-for-the-next-block",
    unlockedForTheNextBlock),
]

private func unlockedOnEveryPath() {
  let lock = NSRecursiveLock()
  let table = PosixReadWriteLock()
  let workers = DispatchGroup()
  let work: @Sendable () -> Void = {
    lock.lock()
    defer { lock.unlock() }
    table.lockToRead()
    defer { table.unlock() }
    guard Int("x") != nil else { return }
    lock.withLock {}
  }
  for number in 0..<4 {
    startThread(in: workers, work)
    DispatchQueue(label: "worker \(number)").async(group: workers, execute: work)
  }
  workers.wait()
  lock.withLock {
    table.lockToWrite()
    table.unlock()
  }
}

/// The mutex is used as a binary semaphore, which glibc allows: each of these waits ends.
private func unlockedForAnother() {
  let mutex = PosixMutex()
  let locked = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    mutex.lock()
    locked.signal()
  }
  locked.wait()
  let done = DispatchGroup()
  startThread(in: done) {
    Thread.sleep(forTimeInterval: 0.5)
    mutex.unlock()
  }
  mutex.lock()
  mutex.unlock()
  done.wait()
}

/// As `unlockedForAnother`, while the thread that locked the mutex waits for it in its next block.
private func unlockedForTheNextBlock() {
  let mutex = PosixMutex()
  let queue = DispatchQueue(label: "log")
  let start = DispatchSemaphore(value: 0)
  let locked = DispatchSemaphore(value: 0)
  let done = DispatchGroup()
  queue.async(group: done) {
    start.wait()
    mutex.lock()
    locked.signal()
  }
  queue.async(group: done) {
    mutex.lock()
    mutex.unlock()
  }
  startThread(in: done) {
    locked.wait()
    Thread.sleep(forTimeInterval: 0.5)
    mutex.unlock()
  }
  start.signal()
  done.wait()
}

private func oneSignalForEachBlock() {
  let ready = DispatchSemaphore(value: 0)
  let passed = DispatchGroup()
  for number in 0..<2 {
    DispatchQueue(label: "reader \(number)").async(group: passed) { ready.wait() }
  }
  for _ in 0..<2 { ready.signal() }
  passed.wait()
}

private func mainQueueAfterLock() {
  let model = NSLock()
  let meeting = Meeting()
  Thread.detachNewThread {
    DispatchQueue.main.async {
      meeting.come()
      model.withLock {}
    }
  }
  let shown = DispatchSemaphore(value: 0)
  model.withLock { meeting.comeToo() }
  DispatchQueue.main.async { shown.signal() }
  shown.wait()
}
