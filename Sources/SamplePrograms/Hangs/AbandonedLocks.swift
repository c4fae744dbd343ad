import Dispatch
import Foundation
import PredictPrograms
import Programs

/// Locks that their owners leave locked: the owner ends, or goes on without unlocking.
let abandonedLockPrograms: [Program] = [
  Program(
    "lock-left-by-thread",
    "a thread returns early and ends with an NSLock locked, which main wants",
    .hangs(.abandonedLock), source: .pathWithoutUnlock,
    lockLeftByThread),
  Program(
    "lock-left-by-block", "a block returns early with a POSIX mutex locked, which a thread wants",
    .hangs(.abandonedLock), source: .pathWithoutUnlock,
    lockLeftByBlock),
  Program(
    "read-lock-left-by-thread", "a reader ends without unlocking a POSIX rwlock; a writer waits",
    .hangs(.abandonedLock), source: .pathWithoutUnlock,
    readLockLeftByThread),
  Program(
    "recursive-lock-left-by-thread",
    "a thread unlocks an NSRecursiveLock once less than it locked it, and ends",
    .hangs(.abandonedLock), source: .pathWithoutUnlock,
    recursiveLockLeftByThread),
  Program(
    "workers-joined-behind-left-lock",
    "a thread waits for a group whose workers want an NSLock that one of them left locked",
    .hangs(.abandonedLock), source: .pathWithoutUnlock,
    workersJoinedBehindLeftLock),
  Program(
    "queue-behind-left-lock",
    "blocks are queued behind one that waits for an NSLock that a thread left locked",
    .hangs(.abandonedLock), source: .pathWithoutUnlock,
    queueBehindLeftLock),
  Program(
    "lock-left-for-the-next-block",
    "a block returns early with an NSLock locked, which the next block on its thread wants",
    .hangs(.abandonedLock), source: .pathWithoutUnlock,
    lockLeftForTheNextBlock),
]

/// Wrong: no `defer`. CWE-667 ("improper locking"), as in `return-without-unlock`, but the next
/// caller is another thread.
private func lockLeftByThread() {
  final class Names: @unchecked Sendable {
    let lock = NSLock()
    var all: Set<String> = []

    func add(_ name: String) {
      lock.lock()
      guard !name.isEmpty else { return }
      all.insert(name)
      lock.unlock()
    }
  }

  let names = Names()
  let ended = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    names.add("")
    ended.signal()
  }
  ended.wait()
  names.add("Ada")
}

/// Wrong: the block ends, and its thread returns to the pool with the mutex locked.
private func lockLeftByBlock() {
  let mutex = PosixMutex()
  let queue = DispatchQueue(label: "import")
  queue.async {
    mutex.lock()
    guard Int("x") != nil else { return }
    mutex.unlock()
  }
  queue.sync {}
  mutex.lock()
  mutex.unlock()
}

/// Wrong: an abandoned read lock blocks writers just as a write lock does.
private func readLockLeftByThread() {
  let table = PosixReadWriteLock()
  let read = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    table.lockToRead()
    read.signal()
  }
  read.wait()
  table.lockToWrite()
  table.unlock()
}

/// Wrong: each `lock` of a recursive lock needs an `unlock` of its own.
private func recursiveLockLeftByThread() {
  let lock = NSRecursiveLock()
  let ended = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    lock.lock()
    lock.lock()
    lock.unlock()
    ended.signal()
  }
  ended.wait()
  lock.withLock {}
}

/// Wrong: the first worker abandons the lock, which blocks the other workers, and these keep the
/// group from completing.
private func workersJoinedBehindLeftLock() {
  let lock = NSLock()
  let left = DispatchSemaphore(value: 0)
  let workers = DispatchGroup()
  startThread(in: workers) {
    lock.lock()
    defer { left.signal() }
    guard Int("x") != nil else { return }
    lock.unlock()
  }
  left.wait()
  for _ in 0..<3 {
    startThread(in: workers) { lock.withLock {} }
  }
  workers.wait()
}

/// Wrong: more threads for the queue would not help.
private func queueBehindLeftLock() {
  let lock = NSLock()
  let left = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    lock.lock()
    left.signal()
  }
  left.wait()
  let queue = DispatchQueue(label: "log")
  for _ in 0..<8 {
    queue.async { lock.withLock {} }
  }
  queue.sync {}
}

/// Wrong: the serial queue's thread holds the lock, but its next block is not the owner.
private func lockLeftForTheNextBlock() {
  let lock = NSLock()
  let queue = DispatchQueue(label: "log")
  let start = DispatchSemaphore(value: 0)
  queue.async {
    start.wait()
    lock.lock()
    guard Int("x") != nil else { return }
    lock.unlock()
  }
  queue.async { lock.withLock {} }
  start.signal()
  queue.sync {}
}
