import Foundation
import Programs

/// Children of groups and of 'async let'.
let taskGroupPrograms: [Program] = [
  Program(
    "children-of-a-group", "two children of a group increment a number", .races,
    twin: "the second is added after the first was awaited",
    wrong: {
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
    right: {
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
  Program(
    "children-of-a-discarding-group", "children of a discarding group append to an array", .races,
    twin: "each writes an element of its own",
    wrong: {
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
    right: {
      nonisolated(unsafe) let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 20)
      inTask {
        await withDiscardingTaskGroup { group in
          for index in 0..<20 { group.addTask { numbers[index] = index } }
        }
        use((0..<20).reduce(0) { $0 + numbers[$1] })
      }
      numbers.deallocate()
    }),
  Program(
    "parent-and-child", "a parent changes what a child that it has not awaited reads", .races,
    twin: "it awaits the child first",
    wrong: {
      let counter = Counter()
      inTask {
        await withTaskGroup { group in
          group.addTask { use(counter.value) }
          letTimePass()
          counter.value = 1
        }
      }
    },
    right: {
      let counter = Counter()
      inTask {
        await withTaskGroup { group in
          for _ in 0..<5 { group.addTask { use(counter.value) } }
          await group.waitForAll()
          counter.value = 1
        }
      }
    }),
  Program(
    "async-let-and-parent", "a parent appends before it awaits the 'async let' that appends",
    .races, twin: "it awaits it first",
    wrong: {
      let shelf = Shelf()
      inTask {
        async let child: Void = shelf.array.append(1)
        letTimePass()
        shelf.array.append(2)
        await child
      }
    },
    right: {
      let shelf = Shelf()
      inTask {
        for _ in 0..<10 {
          async let child: Void = shelf.array.append(1)
          await child
          shelf.array.append(2)
        }
      }
    }),
  Program(
    "two-async-lets", "two 'async let's set keys of one dictionary", .races,
    twin: "they return what their parent sets",
    wrong: {
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
    right: {
      let shelf = Shelf()
      inTask {
        async let one = makeNumber(1)
        async let other = makeNumber(2)
        shelf.table["b"] = await one.value
        shelf.table["c"] = await other.value
      }
    }),
  Program("results-gathered", "a parent sums what its children have filled", .passes) {
    inTask {
      let sum = await withTaskGroup(of: Counter.self) { group in
        for number in 0..<20 { group.addTask { makeNumber(number) } }
        return await group.reduce(0) { $0 + $1.value }
      }
      use(sum)
    }
  },
  Program("groups-inside-groups", "children of children fill a part of an array each", .passes) {
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
  Program("children-left-by-an-error", "a parent reads what a failed group has written", .passes) {
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
