import Dispatch
import Foundation
import Programs

/// Tables and caches whose every access is locked.
let tablePrograms: [Program] = [
  Program(
    "inserted-after-check", "two threads find no session for a key, and each makes one",
    .failsInSomeOrder(.violation), twin: "one hold of the lock looks the session up and makes it"
  ) {
    let sessions = Guarded<[String: Session]>([:])
    let (first, second) = (Guarded<Session?>(nil), Guarded<Session?>(nil))
    let session = { @Sendable (key: String) -> Session in
      if let session = sessions.value[key] { return session }
      let session = Session()
      sessions.update { $0[key] = session }
      return session
    }
    together({ first.set(session("a")) }, { second.set(session("a")) })
    try expect(first.value === second.value, "one key has two sessions")
  } right: {
    let sessions = Guarded<[String: Session]>([:])
    let (first, second) = (Guarded<Session?>(nil), Guarded<Session?>(nil))
    let session = { @Sendable (key: String) -> Session in
      sessions.update { sessions in
        if let session = sessions[key] { return session }
        let session = Session()
        sessions[key] = session
        return session
      }
    }
    together({ first.set(session("a")) }, { second.set(session("a")) })
    try expect(first.value === second.value, "one key has two sessions")
  },

  Program(
    "cost-apart-from-contents", "a cache replaces an object under one hold, its cost under another",
    .failsInSomeOrder(.violation), twin: "one hold of the lock replaces the object and its cost"
  ) {
    let cache = Guarded((costs: [String: Int](), total: 0))
    let insert = { @Sendable (cost: Int) in
      let old = cache.value.costs["a"] ?? 0
      cache.update {
        $0.costs["a"] = cost
        $0.total += cost - old
      }
    }
    together({ insert(3) }, { insert(5) })
    let (costs, total) = cache.value
    try expect(total == costs["a"], "the objects cost \(costs), and the total is \(total)")
  } right: {
    let cache = Guarded((costs: [String: Int](), total: 0))
    let insert = { @Sendable (cost: Int) in
      cache.update {
        $0.total += cost - ($0.costs["a"] ?? 0)
        $0.costs["a"] = cost
      }
    }
    together({ insert(3) }, { insert(5) })
    let (costs, total) = cache.value
    try expect(total == costs["a"], "the objects cost \(costs), and the total is \(total)")
  },

  Program(
    "evicted-after-renewal", "an entry is renewed after it was found to be old, and is evicted",
    .failsInSomeOrder(.violation), twin: "the hold that evicts an entry also finds that it is old"
  ) {
    let cache = Guarded(["a": 1])
    together(
      {
        // 1 is the old generation.
        let old = cache.value.filter { $0.value == 1 }.map(\.key)
        cache.update { for key in old { $0[key] = nil } }
      }, { cache.update { $0["a"] = 2 } })
    try expect(cache.value["a"] == 2, "the renewed entry was evicted")
  } right: {
    let cache = Guarded(["a": 1])
    together(
      {
        cache.update { $0 = $0.filter { $0.value != 1 } }
      }, { cache.update { $0["a"] = 2 } })
    try expect(cache.value["a"] == 2, "the renewed entry was evicted")
  },

  Program(
    "order-apart-from-contents", "an eviction runs between the two steps of an insertion",
    .failsInSomeOrder(.violation),
    twin: "an insertion changes the table and the list of ages under one hold"
  ) {
    let (contents, ages) = (Guarded(["a": 1]), Guarded(["a"]))
    together(
      {
        contents.update { $0["a"] = nil }
        ages.update { $0.removeAll { $0 == "a" } }
      },
      {
        contents.update { $0["a"] = 2 }
        ages.update { if !$0.contains("a") { $0.append("a") } }
      })
    let state = (contents.value.keys.sorted(), ages.value)
    try expect(state.0 == state.1, "the table has \(state.0), and the list has \(state.1)")
  } right: {
    let cache = Guarded((contents: ["a": 1], ages: ["a"]))
    together(
      {
        cache.update {
          $0.contents["a"] = nil
          $0.ages.removeAll { $0 == "a" }
        }
      },
      {
        cache.update {
          $0.contents["a"] = 2
          if !$0.ages.contains("a") { $0.ages.append("a") }
        }
      })
    let state = cache.value
    try expect(state.contents.keys.sorted() == state.ages, "the table and the list are \(state)")
  },

  Program(
    "number-given-twice", "two threads read the highest number, and each adds the next one",
    .failsInSomeOrder(.violation),
    twin: "one hold of the lock reads the highest number and adds the next one"
  ) {
    let numbers = Guarded([1])
    let add = { @Sendable in
      let next = numbers.value.max()! + 1
      numbers.update { $0.append(next) }
    }
    together(add, add)
    try expect(numbers.value == [1, 2, 3], "the numbers are \(numbers.value)")
  } right: {
    let numbers = Guarded([1])
    let add = { @Sendable in numbers.update { $0.append($0.max()! + 1) } }
    together(add, add)
    try expect(numbers.value == [1, 2, 3], "the numbers are \(numbers.value)")
  },

  Program(
    "event-lost-in-rotation", "an event is not logged because the log is closed for its rotation",
    .failsInSomeOrder(.violation),
    twin: "one hold of the lock closes the log and opens the next one",
    source: "MySQL, bug 791: a statement between the close and the open of the log is not logged"
  ) {
    let log = Guarded((isOpen: true, events: [Int]()))
    together(
      {
        log.update { $0.isOpen = false }
        log.update { $0.isOpen = true }
      }, { log.update { if $0.isOpen { $0.events.append(1) } } })
    try expect(log.value.events == [1], "the event was not logged")
  } right: {
    let log = Guarded((isOpen: true, events: [Int]()))
    together(
      {
        log.update {
          $0.isOpen = false
          $0.isOpen = true
        }
      }, { log.update { if $0.isOpen { $0.events.append(1) } } })
    try expect(log.value.events == [1], "the event was not logged")
  },

  Program(
    "read-lock-given-up", "a value is made by two threads that gave up a read lock to write",
    .failsInSomeOrder(.violation), twin: "the thread looks again once it holds the write lock"
  ) {
    let value = ReadWriteLocked<Int?>(nil)
    let made = Guarded(0)
    let get = { @Sendable in
      if value.read({ $0 }) != nil { return }
      value.write {
        $0 = 1
        made.update { $0 += 1 }
      }
    }
    together(get, get)
    try expect(made.value == 1, "the value was made \(made.value) times")
  } right: {
    let value = ReadWriteLocked<Int?>(nil)
    let made = Guarded(0)
    let get = { @Sendable in
      if value.read({ $0 }) != nil { return }
      value.write {
        if $0 != nil { return }
        $0 = 1
        made.update { $0 += 1 }
      }
    }
    together(get, get)
    try expect(made.value == 1, "the value was made \(made.value) times")
  },
]

private final class Session: Sendable {}

/// A value under a read-write lock.
private final class ReadWriteLocked<Value>: @unchecked Sendable {
  // Unchecked: the lock protects the value.
  private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: Value) {
    self.value = value
    pthread_rwlock_init(lock, nil)
  }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  func read<Result>(_ body: (Value) -> Result) -> Result {
    pthread_rwlock_rdlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return body(value)
  }

  func write(_ body: (inout Value) -> Void) {
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    body(&value)
  }
}
