import Foundation
import Programs

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
let variablePrograms: [Program] = [
  Program(
    "captured-variable", "two threads increment a variable that their closures capture", .races,
    twin: "a lock guards the variable",
    wrong: {
      nonisolated(unsafe) var count = 0
      onTwoThreads { count += 1 }
      use(count)
    },
    right: {
      nonisolated(unsafe) var count = 0
      let lock = NSLock()
      onTwoThreads { lock.withLock { count += 1 } }
      use(count)
    }),
  Program(
    "captured-array", "two threads append to an array that their closures capture", .races,
    twin: "the second thread starts when the first has ended",
    wrong: {
      nonisolated(unsafe) var list = [1]
      onTwoThreads { list.append(2) }
      use(list)
    },
    right: {
      nonisolated(unsafe) var list = [1]
      Joined { list.append(2) }.join()
      Joined { list.append(3) }.join()
      use(list)
    }),
  Program(
    "inout-across-threads", "two threads pass one variable as 'inout'", .races,
    twin: "a lock guards the calls",
    wrong: {
      let counter = Counter()
      onTwoThreads { addOne(to: &counter.value) }
    },
    right: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads { lock.withLock { addOne(to: &counter.value) } }
    }),
  Program(
    "global-variable", "two threads increment a global variable", .races, twin: "a lock guards it",
    wrong: { onTwoThreads { plainGlobal += 1 } },
    right: { onTwoThreads { globalLock.withLock { guardedGlobal += 1 } } }),
  Program(
    "static-variable", "a thread reads a static variable that another sets", .races,
    twin: "a lock guards it",
    wrong: {
      onTwoThreads {
        Statics.plain = 1
      } then: {
        use(Statics.plain)
      }
    },
    right: {
      onTwoThreads {
        Statics.lock.withLock { Statics.guarded = 1 }
      } then: {
        use(Statics.lock.withLock { Statics.guarded })
      }
    }),
  Program(
    "static-array", "two threads append to a static array", .races, twin: "they only read one",
    wrong: { onTwoThreads { Statics.list.append(1) } },
    right: { onTwoThreads { use(Statics.table[3]) } }),
  Program(
    "static-let-made", "two threads use a static constant whose initialiser fills an array", .passes
  ) { onTwoThreads { use(Statics.filled.array.count) } },
]
