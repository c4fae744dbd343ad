import Dispatch
import Foundation
import PredictPrograms
import Programs
import Synchronization

/// Locks alone: taken in two orders, taken again, or not released.
let lockPrograms: [Program] = [
  Program(
    "crossing-transfers", "two transfers take the NSLocks of two accounts, in opposite orders",
    .hangs(.cycle),
    source: "Goetz et al., Java Concurrency in Practice, 10.1.2: dynamic lock-order deadlocks",
    crossingTransfers),
  Program(
    "dining-philosophers", "five threads each hold one POSIX mutex and want their neighbour's",
    .hangs(.cycle),
    source: "E. W. Dijkstra, \"Hierarchical ordering of sequential processes\" (EWD 310)",
    diningPhilosophers),
  Program(
    "callback-under-lock",
    "an observer is called under an NSLock, and calls back the object that notified it",
    .hangs(.itself),
    source: "TMCache and PINCache 2: blocks that are called under the cache's lock ask the cache",
    callbackUnderLock),
  Program(
    "return-without-unlock", "an early return leaves a POSIX mutex locked; the next call wants it",
    .hangs(.itself), source: .pathWithoutUnlock,
    returnWithoutUnlock),
  Program(
    "recursive-locks-crossed", "parent and child update each other under NSRecursiveLocks",
    .hangs(.cycle),
    source: "Two objects refer to each other; a recursive lock only admits its own thread again",
    recursiveLocksCrossed),
  Program(
    "read-lock-upgraded", "a reader of a POSIX rwlock takes the write lock as well",
    .hangs(.itself),
    source: "pthread_rwlock_wrlock(3): the caller may deadlock if it holds the lock to read",
    readLockUpgraded),
  Program(
    "read-write-locks-crossed", "two threads read one table each, and want to write the other's",
    .hangs(.cycle),
    source: "Goetz et al., \"Java Concurrency in Practice\", 10.1: lock ordering, with readers",
    readWriteLocksCrossed),
  Program(
    "stdlib-mutexes-crossed", "two threads nest withLock of two Synchronization.Mutex, crosswise",
    .hangs(.cycle, trapsOnLinux: true),
    source: "Goetz et al., \"Java Concurrency in Practice\", 10.1.2, with SE-0433's Mutex",
    timeSeconds: 300,
    stdlibMutexesCrossed),
  Program(
    "stdlib-mutex-relocked", "withLock of a Synchronization.Mutex inside its own withLock", .traps,
    source: "SE-0433, Synchronous mutual exclusion lock: a recursive withLock may trap",
    stdlibMutexRelocked),
]

/// Wrong: the order of the two locks follows from the arguments. Goetz et al., "Java Concurrency in
/// Practice", 10.1.2.
private func crossingTransfers() {
  final class Account: @unchecked Sendable {
    let lock = NSLock()
    var balance = 100
  }

  @Sendable func transfer(_ amount: Int, from source: Account, to target: Account, meet: () -> Void)
  {
    source.lock.lock()
    meet()
    target.lock.lock()
    source.balance -= amount
    target.balance += amount
    target.lock.unlock()
    source.lock.unlock()
  }

  let savings = Account()
  let current = Account()
  let meeting = Meeting()
  Thread.detachNewThread { transfer(10, from: savings, to: current, meet: meeting.come) }
  transfer(20, from: current, to: savings, meet: meeting.comeToo)
}

/// Wrong: each philosopher takes the left fork first, so the forks have no common order. Dijkstra,
/// EWD 310.
private func diningPhilosophers() {
  let forks = (0..<5).map { _ in PosixMutex() }
  let seated = DispatchGroup()
  for _ in forks { seated.enter() }

  @Sendable func dine(_ seat: Int) {
    let left = forks[seat]
    let right = forks[(seat + 1) % forks.count]
    left.lock()
    seated.leave()
    seated.wait()
    right.lock()
    right.unlock()
    left.unlock()
  }

  for seat in 1..<forks.count { Thread.detachNewThread { dine(seat) } }
  dine(0)
}

/// Wrong: the lock is held while foreign code is called, as TMCache and PINCache call blocks under
/// their lock.
private func callbackUnderLock() {
  final class Settings: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [String: Int] = [:]
    var didChange: () -> Void = {}

    func set(_ value: Int, for name: String) {
      lock.withLock {
        values[name] = value
        didChange()
      }
    }

    func value(for name: String) -> Int? {
      lock.withLock { values[name] }
    }
  }

  let settings = Settings()
  settings.didChange = { [unowned settings] in _ = settings.value(for: "volume") }
  settings.set(11, for: "volume")
}

/// Wrong: no `defer`. CWE-833, by way of CWE-667 ("improper locking": not unlocked on every path).
private func returnWithoutUnlock() {
  final class Counter: @unchecked Sendable {
    private let mutex = PosixMutex()
    private var counts: [String: Int] = [:]

    func increment(_ name: String) {
      mutex.lock()
      guard let count = counts[name] else {
        counts[name] = 1
        return
      }
      counts[name] = count + 1
      mutex.unlock()
    }
  }

  let counter = Counter()
  counter.increment("visits")
  counter.increment("visits")
}

/// Wrong: a recursive lock only admits its own thread again. Two objects that refer to each other,
/// as in `addChild` and `removeFromParent`.
private func recursiveLocksCrossed() {
  final class View: @unchecked Sendable {
    let lock = NSRecursiveLock()
    var size = 0

    func resize(to size: Int, and other: View, meet: () -> Void) {
      lock.lock()
      lock.lock()
      self.size = size
      lock.unlock()
      meet()
      other.lock.lock()
      other.size = size
      other.lock.unlock()
      lock.unlock()
    }
  }

  let parent = View()
  let child = View()
  let meeting = Meeting()
  Thread.detachNewThread { parent.resize(to: 1, and: child, meet: meeting.come) }
  child.resize(to: 2, and: parent, meet: meeting.comeToo)
}

/// Wrong: the writer waits for all readers, one of which is itself. pthread_rwlock_wrlock(3):
/// undefined, or a deadlock.
private func readLockUpgraded() {
  let lock = PosixReadWriteLock()
  var cached: Int?
  lock.lockToRead()
  if cached == nil {
    lock.lockToWrite()
    cached = 42
    lock.unlock()
  }
  lock.unlock()
}

/// Wrong: readers do not wait for readers, but each blocks the other thread's write lock.
private func readWriteLocksCrossed() {
  @Sendable func copy(
    from source: PosixReadWriteLock, to target: PosixReadWriteLock, meet: () -> Void
  ) {
    source.lockToRead()
    meet()
    target.lockToWrite()
    target.unlock()
    source.unlock()
  }

  let names = PosixReadWriteLock()
  let numbers = PosixReadWriteLock()
  let meeting = Meeting()
  Thread.detachNewThread { copy(from: names, to: numbers, meet: meeting.come) }
  copy(from: numbers, to: names, meet: meeting.comeToo)
}

/// Wrong: two orders, as in the transfers, here of the lock that contains its value. On Linux these
/// locks tell the kernel their owner, so the kernel detects the cycle and the second thread traps:
/// "Recursive call to lock Mutex", which is misleading.
private func stdlibMutexesCrossed() {
  final class Account: Sendable {
    let balance = Mutex(100)
  }

  @Sendable func transfer(from source: Account, to target: Account, meet: () -> Void) {
    source.balance.withLock { own in
      meet()
      own -= 10
      target.balance.withLock { $0 += 10 }
    }
  }

  let savings = Account()
  let current = Account()
  let meeting = Meeting()
  Thread.detachNewThread { transfer(from: savings, to: current, meet: meeting.come) }
  transfer(from: current, to: savings, meet: meeting.comeToo)
}

/// Wrong: `total` takes the lock that `add` holds. It traps instead of hanging ("Recursive call to
/// lock Mutex" on Linux).
private func stdlibMutexRelocked() {
  final class Basket: Sendable {
    private let prices = Mutex<[Int]>([])

    var total: Int { prices.withLock { $0.reduce(0, +) } }

    func add(_ price: Int, limit: Int) {
      prices.withLock { prices in
        if total + price <= limit { prices.append(price) }
      }
    }
  }

  Basket().add(3, limit: 10)
}
