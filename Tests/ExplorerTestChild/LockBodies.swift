import Foundation

private enum Kept {
  // Unsafe: only the running logical thread accesses it.
  nonisolated(unsafe) static var all: [[String: NSLock]] = []
}

let lockBodies = [
  Body("lost-update") {
    let lock = NSLock()
    let count = Shared(0)
    let add: @Sendable () -> Void = {
      let old = lock.withLock { count.value }
      lock.withLock { count.value = old + 1 }
    }
    runThreads(add, add)
    return count.value == 2
  },
  Body("kept-update") {
    let lock = NSLock()
    let count = Shared(0)
    let add: @Sendable () -> Void = { lock.withLock { count.value += 1 } }
    runThreads(add, add)
    return count.value == 2
  },
  Body("lock-3x3") {
    let lock = NSLock()
    let count = Shared(0)
    let add: @Sendable () -> Void = {
      for _ in 0..<3 { lock.withLock { count.value += 1 } }
    }
    runThreads(add, add, add)
    return count.value == 9
  },
  Body("crossed-locks") {
    let first = NSLock()
    let second = NSLock()
    runThreads(
      { first.withLock { second.withLock {} } },
      { second.withLock { first.withLock {} } })
    return true
  },
  Body("ordered-locks") {
    let first = NSLock()
    let second = NSLock()
    runThreads(
      { first.withLock { second.withLock {} } },
      { first.withLock { second.withLock {} } })
    return true
  },
  Body("locks-in-the-order-of-a-dictionary") {
    let locks = (0..<6).map { _ in NSLock() }
    for lock in locks { lock.withLock {} }
    let named = Dictionary(uniqueKeysWithValues: locks.enumerated().map { ("lock \($0)", $1) })
    let lockAll: @Sendable () -> Void = { for lock in named.values { lock.withLock {} } }
    // Kept, so that the locks of the next execution get other addresses.
    Kept.all.append(named)
    runThreads(lockAll, lockAll)
    return true
  },
  Body("condition-lock") {
    // `NSConditionLock` makes the C library's calls itself. `lock(before:)`, because `lock()` traps
    // if it has to wait: Foundation cannot convert the distant future.
    let lock = NSConditionLock(condition: 0)
    let limit = Date().addingTimeInterval(3600)
    let count = Shared(0)
    let add: @Sendable () -> Void = {
      guard lock.lock(before: limit) else { return Outcomes.note("timed out") }
      let old = count.value
      lock.unlock()
      guard lock.lock(before: limit) else { return Outcomes.note("timed out") }
      count.value = old + 1
      lock.unlock()
    }
    runThreads(add, add)
    return count.value == 2
  },
  Body("recursive-lock") {
    let lock = NSRecursiveLock()
    let count = Shared(0)
    let add: @Sendable () -> Void = {
      lock.withLock {
        let old = count.value
        lock.withLock { count.value = old + 1 }
      }
    }
    runThreads(add, add)
    return count.value == 2
  },
  Body("mutex-kinds") {
    let checking = makeMutex(type: Int32(PTHREAD_MUTEX_ERRORCHECK))
    let recursive = makeMutex(type: Int32(PTHREAD_MUTEX_RECURSIVE))
    let check: @Sendable () -> Void = {
      pthread_mutex_lock(checking.pointer)
      precondition(pthread_mutex_lock(checking.pointer) == EDEADLK)
      precondition(pthread_mutex_unlock(checking.pointer) == 0)
      precondition(pthread_mutex_unlock(checking.pointer) == EPERM)
      pthread_mutex_lock(recursive.pointer)
      precondition(pthread_mutex_lock(recursive.pointer) == 0)
      pthread_mutex_unlock(recursive.pointer)
      pthread_mutex_unlock(recursive.pointer)
    }
    runThreads(check, check)
    return true
  },
  Body("own-lock-again") {
    let mutex = makeMutex()
    pthread_mutex_lock(mutex.pointer)
    pthread_mutex_lock(mutex.pointer)
    return true
  },
  Body("try-lock") {
    let mutex = makeMutex()
    runThreads(
      {
        pthread_mutex_lock(mutex.pointer)
        pthread_mutex_unlock(mutex.pointer)
      },
      {
        let result = pthread_mutex_trylock(mutex.pointer)
        Outcomes.note(result == 0 ? "acquired" : "busy")
        if result == 0 { pthread_mutex_unlock(mutex.pointer) }
      })
    return true
  },
  Body("timed-lock") {
    let mutex = makeMutex()
    runThreads(
      {
        pthread_mutex_lock(mutex.pointer)
        pthread_mutex_unlock(mutex.pointer)
      },
      {
        var end = time(after: 3600)
        let result = pthread_mutex_timedlock(mutex.pointer, &end)
        Outcomes.note(result == 0 ? "acquired" : result == ETIMEDOUT ? "timed out" : "other")
        if result == 0 { pthread_mutex_unlock(mutex.pointer) }
      })
    return true
  },
  Body("spin-lock") {
    let spin = Cell(pthread_spinlock_t())
    pthread_spin_init(spin.pointer, 0)
    let count = Shared(0)
    let add: @Sendable () -> Void = {
      pthread_spin_lock(spin.pointer)
      let old = count.value
      pthread_spin_unlock(spin.pointer)
      pthread_spin_lock(spin.pointer)
      count.value = old + 1
      pthread_spin_unlock(spin.pointer)
    }
    runThreads(add, add)
    Outcomes.note("\(count.value)")
    return true
  },
  Body("upgraded-read") {
    let lock = Cell(pthread_rwlock_t())
    pthread_rwlock_init(lock.pointer, nil)
    let count = Shared(0)
    let add: @Sendable () -> Void = {
      pthread_rwlock_rdlock(lock.pointer)
      let old = count.value
      pthread_rwlock_unlock(lock.pointer)
      pthread_rwlock_wrlock(lock.pointer)
      count.value = old + 1
      pthread_rwlock_unlock(lock.pointer)
    }
    runThreads(add, add)
    pthread_rwlock_destroy(lock.pointer)
    return count.value == 2
  },
  Body("readers-together") {
    let lock = Cell(pthread_rwlock_t())
    pthread_rwlock_init(lock.pointer, nil)
    let inside = Shared((readers: 0, writers: 0))
    let gate = NSLock()
    let enter: @Sendable (_ writes: Bool) -> Void = { writes in
      if writes {
        pthread_rwlock_wrlock(lock.pointer)
        gate.withLock { inside.value.writers += 1 }
      } else {
        pthread_rwlock_rdlock(lock.pointer)
        gate.withLock { inside.value.readers += 1 }
      }
      gate.withLock {
        let (readers, writers) = inside.value
        Outcomes.note("\(readers) readers, \(writers) writers")
        if writes { inside.value.writers -= 1 } else { inside.value.readers -= 1 }
      }
      pthread_rwlock_unlock(lock.pointer)
    }
    runThreads({ enter(false) }, { enter(false) }, { enter(true) })
    pthread_rwlock_destroy(lock.pointer)
    return true
  },
]
