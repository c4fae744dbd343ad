import Foundation
import Programs
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
let lockPrograms: [Program] = [
  Program(
    "two-locks-for-one", "two threads guard one number with a lock each", .races,
    twin: "both take the same lock",
    wrong: {
      let counter = Counter()
      let one = NSLock()
      let other = NSLock()
      onTwoThreads {
        one.withLock { counter.add(1) }
      } then: {
        other.withLock { counter.add(1) }
      }
    },
    right: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { counter.add(1) }
      } then: {
        lock.withLock { counter.add(1) }
      }
    }),
  Program(
    "lock-in-property-of-each", "a mutex and a read-write lock, each a property, guard one number",
    .races, twin: "the mutex guards it",
    wrong: {
      let guarded = LockInPlace()
      onTwoThreads {
        guarded.add(1)
      } then: {
        guarded.addAsWriter(1)
      }
    },
    right: {
      let guarded = LockInPlace()
      onThreads(4) { for _ in 0...$0 { guarded.add(1) } }
    }),
  Program("rwlock-in-property", "a read-write lock that is a property guards a number", .passes) {
    let guarded = LockInPlace()
    onThreads(4) { for _ in 0...$0 { guarded.addAsWriter(1) } }
  },
  Program(
    "lock-on-one-side", "a thread writes under a lock, and another reads without it", .races,
    twin: "the reader takes the lock too",
    wrong: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads {
        use(counter.value)
      } then: {
        lock.withLock { counter.add(1) }
      }
    },
    right: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads {
        use(lock.withLock { counter.value })
      } then: {
        lock.withLock { counter.add(1) }
      }
    }),
  Program(
    "written-after-unlock", "a thread unlocks before its last write", .races,
    twin: "the last write comes before the unlock",
    wrong: {
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
    right: {
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
  Program(
    "try-lock-ignored", "a thread that fails to lock goes on all the same", .races,
    twin: "it leaves the number alone",
    wrong: { addUnderTriedLock(goesOn: true) },
    right: { addUnderTriedLock(goesOn: false) }),
  Program(
    "mutex-beside-its-value", "a number beside a 'Mutex' is written without it", .races,
    twin: "the number is the value of the mutex",
    wrong: {
      let counter = Counter()
      let guarded = Guarded()
      onTwoThreads {
        guarded.number.withLock { $0 += 1 }
        counter.add(1)
      }
    },
    right: {
      let guarded = Guarded()
      onThreads(4) { _ in
        for _ in 0..<200 { guarded.number.withLock { $0 += 1 } }
      }
    }),
  Program(
    "mutex-contended", "threads append under a 'Mutex' that others wait for", .passes
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
  Program(
    "mutex-guards-an-object", "threads change an object under a 'Mutex' beside it", .passes
  ) {
    let counter = Counter()
    let guarded = Guarded()
    onThreads(4) { _ in
      for _ in 0..<100 { guarded.number.withLock { _ in counter.add(1) } }
    }
    use(counter.value)
  },
  Program("mutex-tried", "threads count what they lock at once", .passes) {
    let guarded = Guarded()
    onThreads(4) { _ in
      for _ in 0..<100 { _ = guarded.number.withLockIfAvailable { $0 += 1 } }
    }
    use(guarded.number.withLock { $0 })
  },
  Program("pthread-mutex", "threads increment under a POSIX mutex", .passes) {
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
  Program("pthread-spin-lock", "threads increment under a POSIX spin lock", .passes) {
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
  Program("unmarked-recursive-lock", "threads increment under a recursive lock", .passes) {
    let counter = Counter()
    let lock = NSRecursiveLock()
    onThreads(4) { _ in
      for _ in 0..<100 { lock.withLock { lock.withLock { counter.add(1) } } }
    }
  },
  Program("semaphore-as-lock", "threads increment under a semaphore of one", .passes) {
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
