import Foundation

/// Children of groups and of 'async let'.
let taskGroupPairs: [MemoryPair] = [
  MemoryPair(
    "children-of-a-group", "two children of a group increment a number",
    order: "the second is added after the first was awaited",
    racy: {
      let counter = Counter()
      inTask {
        await withTaskGroup { group in
          group.addTask { counter.add(1) }
          group.addTask {
            letTimePass()
            counter.add(1)
          }
        }
      }
    },
    ordered: {
      let counter = Counter()
      inTask {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<10 {
            group.addTask { counter.add(1) }
            await group.next()
          }
        }
      }
    }),
  MemoryPair(
    "children-of-a-discarding-group", "children of a discarding group append to an array",
    order: "each writes an element of its own",
    racy: {
      let shelf = Shelf()
      inTask {
        await withDiscardingTaskGroup { group in
          group.addTask { shelf.array.append(1) }
          group.addTask {
            letTimePass()
            shelf.array.append(2)
          }
        }
      }
    },
    ordered: {
      nonisolated(unsafe) let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 20)
      inTask {
        await withDiscardingTaskGroup { group in
          for index in 0..<20 { group.addTask { numbers[index] = index } }
        }
        use((0..<20).reduce(0) { $0 + numbers[$1] })
      }
      numbers.deallocate()
    }),
  MemoryPair(
    "parent-and-child", "a parent changes what a child that it has not awaited reads",
    order: "it awaits the child first",
    racy: {
      let counter = Counter()
      inTask {
        await withTaskGroup { group in
          group.addTask { use(counter.value) }
          letTimePass()
          counter.value = 1
        }
      }
    },
    ordered: {
      let counter = Counter()
      inTask {
        await withTaskGroup { group in
          for _ in 0..<5 { group.addTask { use(counter.value) } }
          await group.waitForAll()
          counter.value = 1
        }
      }
    }),
  MemoryPair(
    "async-let-and-parent", "a parent appends before it awaits the 'async let' that appends",
    order: "it awaits it first",
    racy: {
      let shelf = Shelf()
      inTask {
        async let child: Void = shelf.array.append(1)
        letTimePass()
        shelf.array.append(2)
        await child
      }
    },
    ordered: {
      let shelf = Shelf()
      inTask {
        for _ in 0..<10 {
          async let child: Void = shelf.array.append(1)
          await child
          shelf.array.append(2)
        }
      }
    }),
  MemoryPair(
    "two-async-lets", "two 'async let's set keys of one dictionary",
    order: "they return what their parent sets",
    racy: {
      let shelf = Shelf()
      inTask {
        async let one: Void = { shelf.table["b"] = 1 }()
        async let other: Void = {
          letTimePass()
          shelf.table["c"] = 2
        }()
        _ = await (one, other)
      }
    },
    ordered: {
      let shelf = Shelf()
      inTask {
        async let one = makeNumber(1)
        async let other = makeNumber(2)
        shelf.table["b"] = await one.value
        shelf.table["c"] = await other.value
      }
    }),
  MemoryPair(correct: "results-gathered", "a parent sums what its children have filled") {
    inTask {
      let sum = await withTaskGroup(of: Counter.self) { group in
        for number in 0..<20 { group.addTask { makeNumber(number) } }
        return await group.reduce(0) { $0 + $1.value }
      }
      use(sum)
    }
  },
  MemoryPair(correct: "groups-inside-groups", "children of children fill a part of an array each") {
    nonisolated(unsafe) let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 64)
    inTask {
      await withTaskGroup { outer in
        for first in stride(from: 0, to: 64, by: 8) {
          outer.addTask {
            await withTaskGroup { inner in
              for index in first..<first + 8 { inner.addTask { numbers[index] = index } }
            }
            use((first..<first + 8).reduce(0) { $0 + numbers[$1] })
          }
        }
      }
      use((0..<64).reduce(0) { $0 + numbers[$1] })
    }
    numbers.deallocate()
  },
  MemoryPair(correct: "children-left-by-an-error", "a parent reads what a failed group has written")
  {
    struct Stopped: Error {}
    inTask {
      let counter = Counter()
      try? await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { counter.add(1) }
        try await group.next()
        throw Stopped()
      }
      use(counter.value)
    }
  },
]

private func makeNumber(_ number: Int) -> Counter {
  let counter = Counter()
  counter.value = number
  return counter
}
