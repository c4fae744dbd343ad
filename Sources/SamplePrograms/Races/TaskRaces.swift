import Foundation
import Programs

/// Accesses by tasks that nothing orders.
let taskRacePrograms: [Program] = [
  Program(
    "tasks-write-in-no-order", "two tasks write a number, and neither is awaited", .predicts(.race)
  ) {
    let shared = Shared()
    inTasks {
      shared.set(1)
    } and: {
      letTimePass()
      shared.set(2)
    }
  },
  Program(
    "task-and-its-maker", "a task writes a number, and its creator reads it at once",
    .predicts(.race)
  ) {
    let shared = Shared()
    let ended = DispatchSemaphore(value: 0)
    Task {
      letTimePass()
      shared.set(1)
      ended.signal()
    }
    _ = shared.get()
    ended.wait()
  },
  Program(
    "children-write-in-no-order", "two children of a task group write one number", .predicts(.race)
  ) {
    let shared = Shared()
    inTask {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { shared.set(1) }
        group.addTask {
          letTimePass()
          shared.set(2)
        }
      }
    }
  },
  Program(
    "child-added-late", "a child writes a number that an earlier child has written",
    .predicts(.race)
  ) {
    let shared = Shared()
    inTask {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { shared.set(1) }
        letTimePass()
        group.addTask { shared.set(2) }
      }
    }
  },
  Program(
    "async-let-awaited-too-late", "an async let and the task that awaits it later write one number",
    .predicts(.race)
  ) {
    let shared = Shared()
    inTask {
      async let first: Void = shared.set(1)
      letTimePass()
      shared.set(2)
      await first
    }
  },
  Program(
    "actor-bypassed", "an actor writes a number, and a task reads it beside the actor",
    .predicts(.race)
  ) {
    let shared = Shared()
    let keeper = Keeper(shared)
    inTasks {
      await keeper.add(1)
    } and: {
      letTimePass()
      _ = shared.get()
    }
  },
  Program(
    "value-awaited-too-late", "a task reads what another wrote, and awaits it only then",
    .predicts(.race)
  ) {
    let shared = Shared()
    let writer = Task.detached { shared.set(1) }
    inTask {
      letTimePass()
      _ = shared.get()
      await writer.value
    }
  },
  Program(
    "resumed-before-write",
    "a continuation is resumed before the value that it announces is written", .predicts(.race)
  ) {
    let shared = Shared()
    let written = DispatchSemaphore(value: 0)
    inTask {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume()
          letTimePass()
          shared.set(1)
          written.signal()
        }
      }
      letTimePass()
      letTimePass()
      _ = shared.get()
    }
    written.wait()
  },
  Program(
    "tasks-on-an-executor-of-ones-own",
    "two tasks on a concurrent queue write a number in no order", .predicts(.race)
  ) {
    let shared = Shared()
    let executor = ConcurrentExecutor()
    let ended = DispatchSemaphore(value: 0)
    Task.detached(executorPreference: executor) {
      letTimePass()
      shared.set(1)
      ended.signal()
    }
    Task.detached(executorPreference: executor) {
      for _ in 0..<3 { letTimePass() }
      shared.set(2)
      ended.signal()
    }
    for _ in 0..<2 { ended.wait() }
  },
]
