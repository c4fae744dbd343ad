import Foundation

private nonisolated(unsafe) var plainGlobal = 0
private nonisolated(unsafe) var guardedGlobal = 0
private let globalLock = NSLock()

private enum Statics {
  nonisolated(unsafe) static var plain = 0
  nonisolated(unsafe) static var list = [1]
  nonisolated(unsafe) static var guarded = 0
  static let lock = NSLock()
  static let table = Dictionary(uniqueKeysWithValues: (0..<50).map { ($0, $0) })
  static let filled: Shelf = {
    let shelf = Shelf()
    shelf.array = Array(0..<50)
    return shelf
  }()
}

@inline(never)
private func addOne(to number: inout Int) { number += 1 }

/// Variables: captured, global, static, and passed as `inout`.
let variablePairs: [MemoryPair] = [
  MemoryPair(
    "captured-variable", "two threads increment a variable that their closures capture",
    order: "a lock guards the variable",
    racy: {
      nonisolated(unsafe) var count = 0
      onTwoThreads { count += 1 }
      use(count)
    },
    ordered: {
      nonisolated(unsafe) var count = 0
      let lock = NSLock()
      onTwoThreads { lock.withLock { count += 1 } }
      use(count)
    }),
  MemoryPair(
    "captured-array", "two threads append to an array that their closures capture",
    order: "the second thread starts when the first has ended",
    racy: {
      nonisolated(unsafe) var list = [1]
      onTwoThreads { list.append(2) }
      use(list)
    },
    ordered: {
      nonisolated(unsafe) var list = [1]
      Joined { list.append(2) }.join()
      Joined { list.append(3) }.join()
      use(list)
    }),
  MemoryPair(
    "inout-across-threads", "two threads pass one variable as 'inout'",
    order: "a lock guards the calls",
    racy: {
      let counter = Counter()
      onTwoThreads { addOne(to: &counter.value) }
    },
    ordered: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads { lock.withLock { addOne(to: &counter.value) } }
    }),
  MemoryPair(
    "global-variable", "two threads increment a global variable", order: "a lock guards it",
    racy: { onTwoThreads { plainGlobal += 1 } },
    ordered: { onTwoThreads { globalLock.withLock { guardedGlobal += 1 } } }),
  MemoryPair(
    "static-variable", "a thread reads a static variable that another sets",
    order: "a lock guards it",
    racy: {
      onTwoThreads {
        Statics.plain = 1
      } then: {
        use(Statics.plain)
      }
    },
    ordered: {
      onTwoThreads {
        Statics.lock.withLock { Statics.guarded = 1 }
      } then: {
        use(Statics.lock.withLock { Statics.guarded })
      }
    }),
  MemoryPair(
    "static-array", "two threads append to a static array", order: "they only read one",
    racy: { onTwoThreads { Statics.list.append(1) } },
    ordered: { onTwoThreads { use(Statics.table[3]) } }),
  MemoryPair(
    correct: "static-let-made", "two threads use a static constant whose initialiser fills an array"
  ) { onTwoThreads { use(Statics.filled.array.count) } },
]
