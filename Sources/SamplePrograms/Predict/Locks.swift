import Dispatch
import Foundation
import Interlock
import LockStrategies
import Programs

/// Locks of one kind, in two orders and in one.
let lockPrograms: [Program] = [
  Program(
    "transfers-both-ways", "transfers lock two accounts' NSLocks, the source first",
    .predicts(.lockOrder),
    source: "Goetz et al., Java Concurrency in Practice, 10.1.2: dynamic lock-order deadlocks",
    transfersBothWays),
  Program(
    "transfers-by-number", "transfers lock two accounts' NSLocks, the lower number first",
    .predicts(),
    source: "Goetz et al., Java Concurrency in Practice, 10.1.2: the order induced by a number",
    transfersByNumber),
  Program(
    "posix-mutexes-both-ways", "a log and its file have a POSIX mutex each, nested either way",
    .predicts(.lockOrder), source: .lockdep,
    posixMutexesBothWays),
  Program(
    "posix-mutexes-one-way", "a log and its file have a POSIX mutex each, nested one way",
    .predicts(), source: .lockdep,
    posixMutexesOneWay),
  Program(
    "recursive-locks-both-ways", "parent and child update each other under NSRecursiveLocks",
    .predicts(.lockOrder), source: .lockdep,
    recursiveLocksBothWays),
  Program(
    "recursive-locks-one-way", "parent and child lock the parent first, and again inside",
    .predicts(), source: .lockdep,
    recursiveLocksOneWay),
  Program(
    "read-write-locks-both-ways",
    "two tables copy to each other: the source read, the target written", .predicts(.lockOrder),
    source: .lockdep,
    readWriteLocksBothWays),
  Program(
    "readers-both-ways", "two tables are compared either way, both only read", .predicts(),
    source: "pthread_rwlockattr_setkind_np(3): the default prefers readers", readersBothWays),
  Program(
    "semaphores-both-ways", "two DispatchSemaphores of 1 are locks, nested either way",
    .predicts(.lockOrder), source: .lockdep,
    semaphoresBothWays),
  Program(
    "semaphores-one-way", "two DispatchSemaphores of 1 are locks, nested one way", .predicts(),
    source: .lockdep,
    semaphoresOneWay),
  Program(
    "stdlib-mutexes-both-ways", "withLock calls of two Synchronization.Mutex are nested either way",
    .predicts(.lockOrder), source: .lockdep,
    stdlibMutexesBothWays),
  Program(
    "stdlib-mutexes-one-way", "withLock calls of two Synchronization.Mutex are nested one way",
    .predicts(), source: .lockdep,
    stdlibMutexesOneWay),
  Program(
    "three-locks-in-a-ring", "three threads each hold one of three NSLocks and take the next",
    .predicts(.lockOrder),
    source: "E. W. Dijkstra, \"Hierarchical ordering of sequential processes\" (EWD 310)",
    threeLocksInARing),
  Program(
    "three-locks-ranked", "three threads each take two of three NSLocks, the lower first",
    .predicts(),
    source: "E. W. Dijkstra, \"Hierarchical ordering of sequential processes\" (EWD 310)",
    threeLocksRanked),
]

/// A value under an NSLock.
final class Account: @unchecked Sendable {
  let number: Int
  let lock = NSLock()
  // Guarded by the lock.
  var balance = 100

  init(_ number: Int) { self.number = number }
}

/// Wrong: the order of the two locks follows from the arguments. Goetz et al., "Java Concurrency in
/// Practice", 10.1.2.
private func transfersBothWays() {
  @Sendable func transfer(_ amount: Int, from source: Account, to target: Account) {
    source.lock.lock()
    target.lock.lock()
    source.balance -= amount
    target.balance += amount
    target.lock.unlock()
    source.lock.unlock()
  }

  let savings = Account(1)
  let current = Account(2)
  inTurn({ transfer(10, from: savings, to: current) }, { transfer(20, from: current, to: savings) })
}

/// Right: whatever the arguments, the account with the lower number comes first. From the same
/// source.
private func transfersByNumber() {
  @Sendable func transfer(_ amount: Int, from source: Account, to target: Account) {
    let first = source.number < target.number ? source : target
    let second = source.number < target.number ? target : source
    first.lock.withLock {
      second.lock.withLock {
        source.balance -= amount
        target.balance += amount
      }
    }
  }

  let accounts = (0..<4).map(Account.init)
  together(
    { for target in 1..<4 { transfer(10, from: accounts[0], to: accounts[target]) } },
    { for source in 1..<4 { transfer(20, from: accounts[source], to: accounts[0]) } },
    { for source in 0..<3 { transfer(5, from: accounts[3 - source], to: accounts[source]) } })
}

private func posixMutexesBothWays() {
  let log = PosixMutex()
  let file = PosixMutex()
  inTurn(
    {
      log.lock()
      file.lock()
      file.unlock()
      log.unlock()
    },
    {
      file.lock()
      log.lock()
      log.unlock()
      file.unlock()
    })
}

private func posixMutexesOneWay() {
  let log = PosixMutex()
  let file = PosixMutex()
  @Sendable func write() {
    for _ in 0..<100 {
      log.lock()
      file.lock()
      // Released in another order than taken, which is harmless.
      log.unlock()
      file.unlock()
    }
  }
  together(write, write)
}

/// Two objects that refer to each other, as in `addChild` and `removeFromParent`.
private final class View: @unchecked Sendable {
  let lock = NSRecursiveLock()
  // Guarded by the lock.
  var size = 0

  func resize(to size: Int, and other: View) {
    lock.lock()
    lock.lock()
    self.size = size
    lock.unlock()
    other.lock.lock()
    other.size = size
    other.lock.unlock()
    lock.unlock()
  }
}

/// Wrong: a recursive lock only admits its own thread again.
private func recursiveLocksBothWays() {
  let parent = View()
  let child = View()
  inTurn({ parent.resize(to: 1, and: child) }, { child.resize(to: 2, and: parent) })
}

/// Right: code called under both locks may take either again.
private func recursiveLocksOneWay() {
  let parent = View()
  let child = View()
  @Sendable func resizeBoth() {
    for size in 0..<100 {
      parent.lock.withLock {
        child.lock.withLock {
          parent.resize(to: size, and: child)
          child.resize(to: size, and: parent)
        }
      }
    }
  }
  together(resizeBoth, resizeBoth)
}

/// Wrong: readers do not wait for readers, but each blocks the other thread's write lock.
private func readWriteLocksBothWays() {
  let names = PosixReadWriteLock()
  let numbers = PosixReadWriteLock()
  @Sendable func copy(from source: PosixReadWriteLock, to target: PosixReadWriteLock) {
    source.lockToRead()
    target.lockToWrite()
    target.unlock()
    source.unlock()
  }
  inTurn({ copy(from: names, to: numbers) }, { copy(from: numbers, to: names) })
}

/// Right on Linux, whose rwlocks prefer readers: a waiting writer blocks no reader.
/// pthread_rwlockattr_setkind_np(3).
private func readersBothWays() {
  let names = PosixReadWriteLock()
  let numbers = PosixReadWriteLock()
  @Sendable func compare(_ one: PosixReadWriteLock, _ other: PosixReadWriteLock) {
    for _ in 0..<100 {
      one.lockToRead()
      other.lockToRead()
      other.unlock()
      one.unlock()
    }
  }
  @Sendable func write() {
    for table in [names, numbers] {
      table.lockToWrite()
      table.unlock()
    }
  }
  together({ compare(names, numbers) }, { compare(numbers, names) }, write)
}

private func semaphoresBothWays() {
  let index = DispatchSemaphore(value: 1)
  let store = DispatchSemaphore(value: 1)
  @Sendable func update(_ first: DispatchSemaphore, _ second: DispatchSemaphore) {
    first.wait()
    second.wait()
    second.signal()
    first.signal()
  }
  inTurn({ update(index, store) }, { update(store, index) })
}

private func semaphoresOneWay() {
  let index = DispatchSemaphore(value: 1)
  let store = DispatchSemaphore(value: 1)
  @Sendable func update() {
    for _ in 0..<100 {
      index.wait()
      store.wait()
      store.signal()
      index.signal()
    }
  }
  together(update, update)
}

/// Wrong: as the transfers, with the standard library's lock.
private func stdlibMutexesBothWays() {
  let cache = ReportingMutex()
  let statistics = ReportingMutex()
  inTurn(
    { cache.withLock { statistics.withLock {} } }, { statistics.withLock { cache.withLock {} } })
}

private func stdlibMutexesOneWay() {
  let cache = ReportingMutex()
  let statistics = ReportingMutex()
  @Sendable func count() {
    for _ in 0..<100 { cache.withLock { statistics.withLock {} } }
  }
  together(count, count)
}

/// Wrong: no two threads take the same two locks in two orders, and yet there is a cycle. Dijkstra,
/// EWD 310.
private func threeLocksInARing() {
  let forks = (0..<3).map { _ in NSLock() }
  @Sendable func dine(_ seat: Int) {
    forks[seat].withLock { forks[(seat + 1) % 3].withLock {} }
  }
  inTurn({ dine(0) }, { dine(1) }, { dine(2) })
}

/// Right: the last philosopher takes the right fork first.
private func threeLocksRanked() {
  let forks = (0..<3).map { _ in NSLock() }
  @Sendable func dine(_ seat: Int) {
    let pair = [seat, (seat + 1) % 3].sorted()
    for _ in 0..<100 { forks[pair[0]].withLock { forks[pair[1]].withLock {} } }
  }
  together({ dine(0) }, { dine(1) }, { dine(2) })
}
