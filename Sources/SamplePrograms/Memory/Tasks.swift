import Foundation
import Programs

private enum Locals {
  @TaskLocal static var counter = Counter()
}

/// Tasks, their makers, and what they await.
let taskPrograms: [Program] = [
  Program(
    "tasks-detached", "two detached tasks increment a number", .races,
    twin: "the second awaits the first",
    wrong: {
      let counter = Counter()
      inTwoTasks {
        counter.add(1)
      } then: {
        counter.add(1)
      }
    },
    right: {
      let counter = Counter()
      let first = Task.detached { counter.add(1) }
      inTask {
        await first.value
        counter.add(1)
      }
    }),
  Program(
    "task-and-maker", "a thread reads what a task that it has made writes", .races,
    twin: "the task is made after the read",
    wrong: {
      let counter = Counter()
      let ended = DispatchSemaphore(value: 0)
      Task.detached {
        letTimePass()
        counter.value = 1
        ended.signal()
      }
      use(counter.value)
      ended.wait()
    },
    right: {
      let counter = Counter()
      use(counter.value)
      inTask { counter.value = 1 }
      use(counter.value)
    }),
  Program(
    "unmarked-value-awaited-too-late", "a task reads what another writes, and awaits it then",
    .races, twin: "it awaits the other first",
    wrong: {
      let counter = Counter()
      let writer = Task.detached { counter.value = 1 }
      inTask {
        letTimePass()
        use(counter.value)
        await writer.value
      }
    },
    right: {
      let counter = Counter()
      for _ in 0..<20 {
        let writer = Task.detached { counter.value = 1 }
        inTask {
          await writer.value
          use(counter.value)
        }
      }
    }),
  Program(
    "two-steps-of-a-task", "a task changes a dictionary across an await, and another does so too",
    .races, twin: "only one task does",
    wrong: {
      let shelf = Shelf()
      inTwoTasks {
        shelf.table["a"] = 1
        await Task.yield()
        shelf.table["b"] = 1
      } then: {
        shelf.table["a"] = 2
        await Task.yield()
        shelf.table["b"] = 2
      }
    },
    right: {
      let shelf = Shelf()
      inTask {
        for number in 0..<50 {
          shelf.table["a"] = number
          await Task.yield()
        }
      }
      use(shelf.table)
    }),
  Program(
    "unsafe-capture", "two tasks append to a 'nonisolated(unsafe)' variable", .races,
    twin: "the tasks run one after another",
    wrong: {
      nonisolated(unsafe) var list = [1]
      inTwoTasks {
        list.append(2)
      } then: {
        list.append(3)
      }
      use(list)
    },
    right: {
      nonisolated(unsafe) var list = [1]
      inTask { list.append(2) }
      inTask { list.append(3) }
      use(list)
    }),
  Program(
    "task-local-object", "children change the object of a task-local value", .races,
    twin: "each child binds an object of its own",
    wrong: {
      inTask {
        await Locals.$counter.withValue(Counter()) {
          async let first: Void = Locals.counter.add(1)
          async let second: Void = {
            letTimePass()
            Locals.counter.add(1)
          }()
          _ = await (first, second)
        }
      }
    },
    right: {
      inTask {
        async let first: Void = Locals.$counter.withValue(Counter()) { Locals.counter.add(1) }
        async let second: Void = Locals.$counter.withValue(Counter()) { Locals.counter.add(1) }
        _ = await (first, second)
      }
    }),
  Program(
    "cancellation-handler", "a cancellation handler writes what the operation reads", .races,
    twin: "both take a lock",
    wrong: { cancel(guardedBy: nil) },
    right: { cancel(guardedBy: NSLock()) }),
  Program("sleeps", "a task changes a number before and after each sleep", .passes) {
    let counter = Counter()
    inTask {
      for _ in 0..<5 {
        counter.add(1)
        try? await Task.sleep(for: .milliseconds(1))
        counter.add(1)
      }
    }
    use(counter.value)
  },
  Program(
    "unmarked-many-tasks-in-turn", "each of 2,000 tasks appends when the last has ended", .passes
  ) {
    let shelf = Shelf()
    inTask { for number in 0..<2000 { await Task { shelf.array.append(number) }.value } }
    use(shelf.array.count)
  },
  Program("task-under-mutex", "tasks append to an array under a lock", .passes) {
    let shelf = Shelf()
    let lock = NSLock()
    inTask {
      await withTaskGroup { group in
        for number in 0..<50 {
          group.addTask { lock.withLock { shelf.array.append(number) } }
        }
      }
    }
    use(shelf.array)
  },
]

private func cancel(guardedBy lock: NSLock?) {
  let counter = Counter()
  inTask {
    let task = Task.detached {
      await withTaskCancellationHandler {
        letTimePass()
        letTimePass()
        locked(lock) { use(counter.value) }
      } onCancel: {
        locked(lock) { counter.value = 1 }
      }
    }
    letTimePass()
    task.cancel()
    await task.value
  }
}

private func locked(_ lock: NSLock?, _ body: () -> Void) {
  lock?.lock()
  body()
  lock?.unlock()
}
