import Programs
import Synchronization

/// State under a `Mutex`, which a closure can keep.
private final class Protected<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) { mutex = Mutex(value) }

  func update<R: Sendable>(_ body: (inout Value) throws -> R) rethrows -> R {
    try mutex.withLock { value in try body(&value) }
  }

  /// Does nothing if another thread holds the mutex; returns whether it did something.
  func updateIfFree(_ body: (inout Value) -> Void) -> Bool {
    mutex.withLockIfAvailable { value in body(&value) } != nil
  }
}

/// The `Mutex` of the standard library, whose instructions are compiled into the code that uses it.
let mutexPrograms: [Program] = [
  Program(
    "mutex-overdrawn", "two withdrawals ask a balance under its Mutex, then take from it",
    .failsInSomeOrder(.violation), twin: "one hold of the Mutex asks and takes"
  ) {
    let balance = Protected(100)
    let withdraw: @Sendable () -> Void = {
      guard balance.update({ $0 }) >= 80 else { return }
      balance.update { $0 -= 80 }
    }
    together(withdraw, withdraw)
    let left = balance.update { $0 }
    try expect(left >= 0, "the balance is \(left)")
  } right: {
    let balance = Protected(100)
    let withdraw: @Sendable () -> Void = {
      balance.update { if $0 >= 80 { $0 -= 80 } }
    }
    together(withdraw, withdraw)
    let left = balance.update { $0 }
    try expect(left >= 0, "the balance is \(left)")
  },

  Program(
    "mutexes-in-both-orders", "two transfers lock two accounts, each its own account first",
    .failsInSomeOrder(.deadlock), twin: "both transfers lock the accounts in one order"
  ) {
    let (first, second) = (Protected(10), Protected(10))
    together(
      {
        first.update { from in
          second.update {
            from -= 1; $0 += 1
          }
        }
      },
      {
        second.update { from in
          first.update {
            from -= 1; $0 += 1
          }
        }
      })
  } right: {
    let (first, second) = (Protected(10), Protected(10))
    together(
      {
        first.update { from in
          second.update {
            from -= 1; $0 += 1
          }
        }
      },
      {
        first.update { to in
          second.update {
            $0 -= 1; to += 1
          }
        }
      })
  },

  Program(
    "mutex-try-is-skipped", "a counter is raised only if its Mutex is free",
    .failsInSomeOrder(.violation), twin: "the counter's Mutex is waited for"
  ) {
    let count = Protected(0)
    together({ _ = count.updateIfFree { $0 += 1 } }, { count.update { $0 += 1 } })
    let found = count.update { $0 }
    try expect(found == 2, "2 additions gave \(found)")
  } right: {
    let count = Protected(0)
    together({ count.update { $0 += 1 } }, { count.update { $0 += 1 } })
    let found = count.update { $0 }
    try expect(found == 2, "2 additions gave \(found)")
  },

  Program(
    "mutex-loaded-twice", "two callers see an empty cache under its Mutex, and both load",
    .failsInSomeOrder(.violation), twin: "the first caller marks the value as being loaded"
  ) {
    let cache = Protected<Int?>(nil)
    let loads = Protected(0)
    let load: @Sendable () -> Void = {
      guard cache.update({ $0 }) == nil else { return }
      loads.update { $0 += 1 }
      cache.update { $0 = 1 }
    }
    together(load, load)
    let count = loads.update { $0 }
    try expect(count == 1, "the value was loaded \(count) times")
  } right: {
    let isLoading = Protected(false)
    let loads = Protected(0)
    let load: @Sendable () -> Void = {
      let isFirst = isLoading.update { isLoading in
        defer { isLoading = true }
        return !isLoading
      }
      if isFirst { loads.update { $0 += 1 } }
    }
    together(load, load)
    let count = loads.update { $0 }
    try expect(count == 1, "the value was loaded \(count) times")
  },
]
