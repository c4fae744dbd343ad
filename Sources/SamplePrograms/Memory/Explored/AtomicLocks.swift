import Programs
import Synchronization

/// A lock made of atomics, and how many threads are between its lock and its unlock.
private final class Lock: Sendable {
  let isLocked = Atomic(false)
  /// The next ticket of a ticket lock, and the one that is served.
  let next = Atomic(0)
  let served = Atomic(0)
  /// The number of readers of a read-write lock, or -1 for a writer.
  let users = Atomic(0)

  private let inside = Atomic(0)
  private let conflicts = Atomic(0)

  /// The work under the lock.
  func work() {
    if inside.add(1, ordering: .relaxed).oldValue > 0 { conflicts.add(1, ordering: .relaxed) }
    inside.subtract(1, ordering: .relaxed)
  }

  func check() throws {
    let found = conflicts.load(ordering: .relaxed)
    try expect(found == 0, "two threads are under the lock")
  }

  func spin() { while isLocked.exchange(true, ordering: .acquiring) {} }
  func unlock() { isLocked.store(false, ordering: .releasing) }

  /// Takes the lock if it is free.
  func tries() -> Bool {
    isLocked.compareExchange(
      expected: false, desired: true, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged
  }
}

/// Locks that are made of atomics.
let atomicLockPrograms: [Program] = [
  Program(
    "atomic-test-then-set", "a spin lock is seen free, and then set",
    .failsInSomeOrder(.violation), twin: "one exchange sees the lock free, and sets it"
  ) {
    let lock = Lock()
    let use: @Sendable () -> Void = {
      while lock.isLocked.load(ordering: .acquiring) {}
      lock.isLocked.store(true, ordering: .relaxed)
      lock.work()
      lock.unlock()
    }
    together(use, use)
    try lock.check()
  } right: {
    let lock = Lock()
    let use: @Sendable () -> Void = {
      lock.spin()
      lock.work()
      lock.unlock()
    }
    together(use, use)
    try lock.check()
  },

  Program(
    "atomic-same-ticket", "two threads take their tickets by a load and a store",
    .failsInSomeOrder(.violation), twin: "an addition takes a ticket"
  ) {
    let lock = Lock()
    let use: @Sendable () -> Void = {
      let ticket = lock.next.load(ordering: .relaxed)
      lock.next.store(ticket + 1, ordering: .relaxed)
      while lock.served.load(ordering: .acquiring) < ticket {}
      lock.work()
      lock.served.store(ticket + 1, ordering: .releasing)
    }
    together(use, use)
    try lock.check()
  } right: {
    let lock = Lock()
    let use: @Sendable () -> Void = {
      let ticket = lock.next.add(1, ordering: .relaxed).oldValue
      while lock.served.load(ordering: .acquiring) < ticket {}
      lock.work()
      lock.served.store(ticket + 1, ordering: .releasing)
    }
    together(use, use)
    try lock.check()
  },

  Program(
    "atomic-writer-joins-a-reader", "a writer sees no readers, and then marks the lock as written",
    .failsInSomeOrder(.violation), twin: "a compare-exchange marks the lock if there is no reader"
  ) {
    let lock = Lock()
    together(
      {
        lock.users.add(1, ordering: .acquiring)
        lock.work()
        lock.users.subtract(1, ordering: .releasing)
      },
      {
        while lock.users.load(ordering: .acquiring) != 0 {}
        lock.users.subtract(1, ordering: .relaxed)
        lock.work()
        lock.users.add(1, ordering: .releasing)
      })
    try lock.check()
  } right: {
    let lock = Lock()
    together(
      {
        while true {
          let seen = lock.users.load(ordering: .relaxed)
          guard seen >= 0 else { continue }
          let done = lock.users.compareExchange(
            expected: seen, desired: seen + 1, successOrdering: .acquiring,
            failureOrdering: .relaxed
          ).exchanged
          if done { break }
        }
        lock.work()
        lock.users.subtract(1, ordering: .releasing)
      },
      {
        while !lock.users.compareExchange(
          expected: 0, desired: -1, successOrdering: .acquiring, failureOrdering: .relaxed
        ).exchanged {}
        lock.work()
        lock.users.store(0, ordering: .releasing)
      })
    try lock.check()
  },

  Program(
    "atomic-try-is-ignored", "a thread works whether its try took the lock or not",
    .failsInSomeOrder(.violation), twin: "a thread works if its try took the lock"
  ) {
    let lock = Lock()
    let use: @Sendable () -> Void = {
      _ = lock.tries()
      lock.work()
      lock.unlock()
    }
    together(use, use)
    try lock.check()
  } right: {
    let lock = Lock()
    let use: @Sendable () -> Void = {
      guard lock.tries() else { return }
      lock.work()
      lock.unlock()
    }
    together(use, use)
    try lock.check()
  },

  Program(
    "atomic-unlocked-by-another", "a thread that gives up waiting unlocks all the same",
    .failsInSomeOrder(.violation), twin: "only a thread that took the lock unlocks it"
  ) {
    let lock = Lock()
    let use: @Sendable () -> Void = {
      defer { lock.unlock() }
      guard lock.tries() else { return }
      lock.work()
    }
    together(use, use, use)
    try lock.check()
  } right: {
    let lock = Lock()
    let use: @Sendable () -> Void = {
      guard lock.tries() else { return }
      defer { lock.unlock() }
      lock.work()
    }
    together(use, use, use)
    try lock.check()
  },

  Program(
    "atomic-locks-in-both-orders", "two threads take two spin locks, each its own lock first",
    .failsInSomeOrder(.timedOut), twin: "both threads take the locks in one order"
  ) {
    let (first, second) = (Lock(), Lock())
    let use: @Sendable (Lock, Lock) -> Void = { one, other in
      one.spin()
      other.spin()
      other.unlock()
      one.unlock()
    }
    together({ use(first, second) }, { use(second, first) })
  } right: {
    let (first, second) = (Lock(), Lock())
    let use: @Sendable (Lock, Lock) -> Void = { one, other in
      one.spin()
      other.spin()
      other.unlock()
      one.unlock()
    }
    together({ use(first, second) }, { use(first, second) })
  },
]
