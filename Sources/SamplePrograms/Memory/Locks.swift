import Foundation
import Synchronization

private final class Guarded: Sendable {
  let number = Mutex(0)
  let list = Mutex([1])
}

/// A number with a lock of the C library, whose address each call takes anew.
private final class LockInPlace: @unchecked Sendable {
  // Unchecked: the lock guards the number.
  private var lock = pthread_mutex_t()
  private var readers = pthread_rwlock_t()
  private var number = 0

  init() {
    pthread_mutex_init(&lock, nil)
    pthread_rwlock_init(&readers, nil)
  }

  func add(_ count: Int) {
    pthread_mutex_lock(&lock)
    number += count
    pthread_mutex_unlock(&lock)
  }

  func addAsWriter(_ count: Int) {
    pthread_rwlock_wrlock(&readers)
    number += count
    pthread_rwlock_unlock(&readers)
  }
}

/// Locks that guard, and locks that seem to.
let lockPairs: [MemoryPair] = [
  MemoryPair(
    "two-locks-for-one", "two threads guard one number with a lock each",
    order: "both take the same lock",
    racy: {
      let counter = Counter()
      let one = NSLock()
      let other = NSLock()
      onTwoThreads {
        one.withLock { counter.add(1) }
      } then: {
        other.withLock { counter.add(1) }
      }
    },
    ordered: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { counter.add(1) }
      } then: {
        lock.withLock { counter.add(1) }
      }
    }),
  MemoryPair(
    "lock-in-property-of-each", "a mutex and a read-write lock, each a property, guard one number",
    order: "the mutex guards it",
    racy: {
      let guarded = LockInPlace()
      onTwoThreads {
        guarded.add(1)
      } then: {
        guarded.addAsWriter(1)
      }
    },
    ordered: {
      let guarded = LockInPlace()
      onThreads(4) { for _ in 0...$0 { guarded.add(1) } }
    }),
  MemoryPair(correct: "rwlock-in-property", "a read-write lock that is a property guards a number")
  {
    let guarded = LockInPlace()
    onThreads(4) { for _ in 0...$0 { guarded.addAsWriter(1) } }
  },
  MemoryPair(
    "lock-on-one-side", "a thread writes under a lock, and another reads without it",
    order: "the reader takes the lock too",
    racy: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads {
        use(counter.value)
      } then: {
        lock.withLock { counter.add(1) }
      }
    },
    ordered: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads {
        use(lock.withLock { counter.value })
      } then: {
        lock.withLock { counter.add(1) }
      }
    }),
  MemoryPair(
    "written-after-unlock", "a thread unlocks before its last write",
    order: "the last write comes before the unlock",
    racy: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads {
        lock.lock()
        lock.unlock()
        counter.value = 1
      } then: {
        lock.withLock { use(counter.value) }
      }
    },
    ordered: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads {
        lock.lock()
        counter.value = 1
        lock.unlock()
      } then: {
        lock.withLock { use(counter.value) }
      }
    }),
  MemoryPair(
    "try-lock-ignored", "a thread that fails to lock goes on all the same",
    order: "it leaves the number alone",
    racy: { addUnderTriedLock(goesOn: true) },
    ordered: { addUnderTriedLock(goesOn: false) }),
  MemoryPair(
    "mutex-beside-its-value", "a number beside a 'Mutex' is written without it",
    order: "the number is the value of the mutex",
    racy: {
      let counter = Counter()
      let guarded = Guarded()
      onTwoThreads {
        guarded.number.withLock { $0 += 1 }
        counter.add(1)
      }
    },
    ordered: {
      let guarded = Guarded()
      onThreads(4) { _ in
        for _ in 0..<200 { guarded.number.withLock { $0 += 1 } }
      }
    }),
  MemoryPair(
    correct: "mutex-contended", "threads append under a 'Mutex' that others wait for"
  ) {
    let guarded = Guarded()
    onThreads(4) { index in
      for _ in 0..<20 {
        guarded.list.withLock {
          $0.append(index)
          usleep(100)
        }
      }
    }
    use(guarded.list.withLock { $0.count })
  },
  MemoryPair(
    correct: "mutex-guards-an-object", "threads change an object under a 'Mutex' beside it"
  ) {
    let counter = Counter()
    let guarded = Guarded()
    onThreads(4) { _ in
      for _ in 0..<100 { guarded.number.withLock { _ in counter.add(1) } }
    }
    use(counter.value)
  },
  MemoryPair(correct: "mutex-tried", "threads count what they lock at once") {
    let guarded = Guarded()
    onThreads(4) { _ in
      for _ in 0..<100 { _ = guarded.number.withLockIfAvailable { $0 += 1 } }
    }
    use(guarded.number.withLock { $0 })
  },
  MemoryPair(correct: "pthread-mutex", "threads increment under a POSIX mutex") {
    let counter = Counter()
    nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    onThreads(4) { _ in
      for _ in 0..<100 {
        pthread_mutex_lock(mutex)
        counter.add(1)
        pthread_mutex_unlock(mutex)
      }
    }
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  },
  MemoryPair(correct: "pthread-spin-lock", "threads increment under a POSIX spin lock") {
    let counter = Counter()
    nonisolated(unsafe) let lock = UnsafeMutablePointer<pthread_spinlock_t>.allocate(capacity: 1)
    pthread_spin_init(lock, 0)
    onThreads(2) { _ in
      for _ in 0..<100 {
        pthread_spin_lock(lock)
        counter.add(1)
        pthread_spin_unlock(lock)
      }
    }
    pthread_spin_destroy(lock)
    lock.deallocate()
  },
  MemoryPair(correct: "unmarked-recursive-lock", "threads increment under a recursive lock") {
    let counter = Counter()
    let lock = NSRecursiveLock()
    onThreads(4) { _ in
      for _ in 0..<100 { lock.withLock { lock.withLock { counter.add(1) } } }
    }
  },
  MemoryPair(correct: "semaphore-as-lock", "threads increment under a semaphore of one") {
    let counter = Counter()
    let lock = DispatchSemaphore(value: 1)
    onThreads(4) { _ in
      for _ in 0..<100 {
        lock.wait()
        counter.add(1)
        lock.signal()
      }
    }
  },
]

/// The second thread tries the lock while the first holds it.
private func addUnderTriedLock(goesOn: Bool) {
  let counter = Counter()
  let lock = NSLock()
  let (isLocked, isTried) = (Signpost(), Signpost())
  onTwoThreads {
    lock.withLock {
      counter.add(1)
      isLocked.set()
      isTried.wait()
    }
  } then: {
    isLocked.wait()
    let succeeded = lock.try()
    if succeeded || goesOn { counter.add(1) }
    if succeeded { lock.unlock() }
    isTried.set()
  }
}
