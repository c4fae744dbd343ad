import Foundation
import Interlock
import LockStrategies
import Programs

/// Locks that are not taken for some access, or taken in the wrong way.
let lockedRacePrograms: [Program] = [
  Program("counter-without-lock", "two threads set a number without a lock", .predicts(.race)) {
    let shared = Shared()
    oneAfterAnother({ shared.set(1) }, { shared.set(2) })
  },
  Program("counter-with-lock", "two threads set a number under an NSLock", .predicts()) {
    let shared = Shared()
    let lock = NSLock()
    oneAfterAnother(
      { lock.withLock { shared.set(1) } }, { lock.withLock { shared.set(2) } })
  },
  Program("one-side-locked", "the writer takes the lock, the reader does not", .predicts(.race)) {
    let shared = Shared()
    let lock = NSLock()
    oneAfterAnother({ lock.withLock { shared.set(1) } }, { _ = shared.get() })
  },
  Program("both-sides-locked", "the writer takes the lock, and the reader too", .predicts()) {
    let shared = Shared()
    let lock = NSLock()
    oneAfterAnother({ lock.withLock { shared.set(1) } }, { lock.withLock { _ = shared.get() } })
  },
  Program(
    "a-lock-each", "two owners share a number, and each takes a lock of its own", .predicts(.race)
  ) {
    let shared = Shared()
    let (one, other) = (NSRecursiveLock(), NSRecursiveLock())
    oneAfterAnother(
      { one.withLock { shared.set(1) } }, { other.withLock { shared.set(2) } })
  },
  Program("one-recursive-lock", "two owners have one recursive lock, taken twice", .predicts()) {
    let shared = Shared()
    let lock = NSRecursiveLock()
    oneAfterAnother(
      { lock.withLock { lock.withLock { shared.set(1) } } }, { lock.withLock { shared.set(2) } })
  },
  Program(
    "write-under-read-lock", "two threads write under a read-write lock's read side",
    .predicts(.race)
  ) {
    let shared = Shared()
    let lock = PosixReadWriteLock()
    oneAfterAnother({ lock.read { shared.set(1) } }, { lock.read { shared.set(2) } })
  },
  Program(
    "write-under-write-lock", "writers write, and readers read, under a POSIX rwlock", .predicts()
  ) {
    let shared = Shared()
    let lock = PosixReadWriteLock()
    oneAfterAnother(
      { lock.write { shared.set(1) } },
      {
        lock.read { _ = shared.get() }
        lock.write { shared.set(2) }
      })
  },
  Program(
    "stdlib-mutex-with-lock", "two threads set a number under a standard library Mutex", .predicts()
  ) {
    let shared = Shared()
    let lock = ReportingMutex()
    oneAfterAnother(
      { lock.withLock { shared.set(1) } }, { lock.withLock { shared.set(2) } })
  },
  Program(
    "spin-lock-with-lock", "two threads set a number under a lock built on an atomic", .predicts()
  ) {
    let shared = Shared()
    let lock = SpinLock()
    oneAfterAnother(
      { lock.withLock { shared.set(1) } }, { lock.withLock { shared.set(2) } })
  },
]

extension PosixReadWriteLock {
  fileprivate func read(_ body: () -> Void) {
    lockToRead()
    body()
    unlock()
  }

  fileprivate func write(_ body: () -> Void) {
    lockToWrite()
    body()
    unlock()
  }
}
