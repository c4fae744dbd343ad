import Dispatch
import Foundation
import Programs

/// Locks that their owners leave locked, and that are not requested again in this run.
let leftLockPrograms: [Program] = [
  Program(
    "ended-thread-left-lock", "a thread returns early and ends with an NSLock locked",
    .predicts(.abandonedLock), source: .pathWithoutUnlock,
    endedThreadLeftLock),
  Program(
    "ended-thread-unlocks", "a thread returns early, and unlocks its NSLock with defer",
    .predicts(), source: "The correct twin of ended-thread-left-lock",
    endedThreadUnlocks),
  Program(
    "reader-left-lock", "a reader ends without unlocking a POSIX rwlock", .predicts(.abandonedLock),
    source: .pathWithoutUnlock, readerLeftLock),
  Program(
    "ended-block-left-lock", "a block of a serial queue returns early with an NSLock locked",
    .predicts(.abandonedLock), source: .pathWithoutUnlock,
    endedBlockLeftLock),
  Program(
    "ended-block-unlocks", "a block of a serial queue returns early, and unlocks with defer",
    .predicts(), source: "The correct twin of ended-block-left-lock",
    endedBlockUnlocks),
  Program(
    "unlocked-by-another-thread", "a thread ends with a POSIX mutex locked; another unlocks it",
    .predicts(), source: "The correct twin of ended-thread-left-lock",
    unlockedByAnotherThread),
  Program(
    "left-lock-destroyed", "threads end with locks locked that nothing refers to any more",
    .predicts(), source: "The correct twin of ended-thread-left-lock: no thread can ask for it",
    leftLockDestroyed),
  Program(
    "held-at-the-end", "a thread waits in its critical section when the program ends", .predicts(),
    source: "The correct twin of ended-thread-left-lock: it may still unlock",
    heldAtTheEnd),
  Program(
    "write-lock-relocked",
    "a thread relocks a POSIX rwlock that it holds for writing, and ignores the error",
    .predicts(.relock),
    source: "pthread_rwlock_wrlock(3): EDEADLK, where the calling thread holds the lock",
    writeLockRelocked),
  Program(
    "relock-refused-and-heeded",
    "a thread relocks an error-checking mutex that it holds, and checks the error", .predicts(),
    source: "The correct twin of write-lock-relocked",
    relockRefusedAndHeeded),
]

/// Runs the body on a new thread, and returns when that has ended: `Thread` has no join.
private func joined(_ body: @escaping @Sendable () -> Void) {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  var thread = pthread_t()
  let argument = Unmanaged.passRetained(Box(body)).toOpaque()
  pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
      return nil
    }, argument)
  pthread_join(thread, nil)
}

/// Wrong: no `defer`. CWE-667, improper locking: a path on which the lock is not released.
private func endedThreadLeftLock() {
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
  joined { names.add("") }
  keep(names)
}

private func endedThreadUnlocks() {
  let lock = NSLock()
  joined {
    lock.lock()
    defer { lock.unlock() }
    guard Int("x") != nil else { return }
  }
  keep(lock)
}

/// Wrong: a writer would wait for it forever.
private func readerLeftLock() {
  let table = PosixReadWriteLock()
  joined { table.lockToRead() }
  keep(table)
}

/// Wrong: the lock's owner is a thread of the pool, and no later block is known to run on that
/// thread.
private func endedBlockLeftLock() {
  let lock = NSLock()
  let queue = DispatchQueue(label: "import")
  queue.async {
    lock.lock()
    guard Int("x") != nil else { return }
    lock.unlock()
  }
  queue.sync {}
  keep(lock)
}

private func endedBlockUnlocks() {
  let lock = NSLock()
  let queue = DispatchQueue(label: "import")
  queue.async {
    lock.lock()
    defer { lock.unlock() }
    guard Int("x") != nil else { return }
  }
  queue.sync {}
  keep(lock)
}

/// The mutex is used as a binary semaphore, which glibc allows.
private func unlockedByAnotherThread() {
  let mutex = PosixMutex()
  joined { mutex.lock() }
  mutex.unlock()
  keep(mutex)
}

private func leftLockDestroyed() {
  joined {
    let lock = NSLock()
    lock.lock()
  }
  do {
    // A lock that outlives the thread.
    let lock = NSLock()
    joined { lock.lock() }
  }
  // Other locks at the address of the first one.
  let locks = (0..<8).map { _ in NSLock() }
  keep(locks)
}

private func heldAtTheEnd() {
  let lock = NSLock()
  let isHeld = DispatchSemaphore(value: 0)
  let never = DispatchSemaphore(value: 0)
  keep(never)
  Thread.detachNewThread {
    lock.withLock {
      isHeld.signal()
      never.wait()
    }
  }
  isHeld.wait()
}

/// Wrong: `total` takes the lock that `add` holds. glibc refuses with EDEADLK, which is ignored:
/// the first unlock releases the lock, and the rest runs without it.
private func writeLockRelocked() {
  final class Numbers: @unchecked Sendable {
    let lock = PosixReadWriteLock()
    var all: [Int] = []

    func total() -> Int {
      lock.lockToWrite()
      defer { lock.unlock() }
      return all.reduce(0, +)
    }

    func add(_ number: Int) {
      lock.lockToWrite()
      defer { lock.unlock() }
      if total() < 100 { all.append(number) }
    }
  }

  Numbers().add(1)
}

private func relockRefusedAndHeeded() {
  var attributes = pthread_mutexattr_t()
  pthread_mutexattr_init(&attributes)
  pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
  let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  pthread_mutex_init(mutex, &attributes)
  for _ in 0..<2 {
    pthread_mutex_lock(mutex)
    // The lock is already held: this call has not locked it.
    if pthread_mutex_lock(mutex) == 0 { pthread_mutex_unlock(mutex) }
    pthread_mutex_unlock(mutex)
  }
  pthread_mutex_destroy(mutex)
  mutex.deallocate()
}

/// Keeps an object for the life of the process, as a program keeps its locks: a lock that is freed
/// is no finding.
private func keep(_ object: Any) {
  _ = Unmanaged.passRetained(object as AnyObject)
}
