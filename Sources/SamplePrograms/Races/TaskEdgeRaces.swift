import Foundation
import Programs

/// Accesses by tasks that nothing orders, although each task has awaited something before.
let taskEdgeRacePrograms: [Program] = [
  Program("written-after-yields", "two tasks yield, and write one number then", .predicts(.race)) {
    let shared = Shared()
    inTasks {
      await Task.yield()
      shared.set(1)
    } and: {
      await Task.yield()
      letTimePass()
      shared.set(2)
    }
  },
  Program("written-after-sleeps", "two tasks sleep, and write one number then", .predicts(.race)) {
    let shared = Shared()
    inTasks {
      try? await Task.sleep(for: .milliseconds(1))
      shared.set(1)
    } and: {
      try? await ContinuousClock().sleep(for: .milliseconds(1))
      letTimePass()
      shared.set(2)
    }
  },
  Program(
    "written-after-a-child", "two children of a group await a task each, and write one number then",
    .predicts(.race)
  ) {
    let shared = Shared()
    inTask {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await Task {}.value
          shared.set(1)
        }
        group.addTask {
          await Task {}.value
          letTimePass()
          shared.set(2)
        }
      }
    }
  },
  Program(
    "another-child-awaited", "a parent awaits one child and reads what another has written",
    .predicts(.race)
  ) {
    let shared = Shared()
    inTask {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          shared.set(1)
          for _ in 0..<4 { letTimePass() }
        }
        group.addTask { letTimePass() }
        await group.next()
        _ = shared.get()
      }
    }
  },
  Program(
    "another-value-awaited",
    "a task awaits the end of one task, and reads what another has written", .predicts(.race)
  ) {
    let shared = Shared()
    inTask {
      let writer = Task.detached { shared.set(1) }
      let other = Task.detached { letTimePass() }
      await other.value
      _ = shared.get()
      await writer.value
    }
  },
  Program(
    "written-beside-an-async-let", "a parent yields, and writes what its 'async let' writes",
    .predicts(.race)
  ) {
    let shared = Shared()
    inTask {
      async let child: Void = shared.set(1)
      await Task.yield()
      letTimePass()
      shared.set(2)
      await child
    }
  },
  Program(
    "resumed-by-another", "one thread writes, and another resumes the task that reads",
    .predicts(.race)
  ) {
    let shared = Shared()
    let started = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      started.wait()
      shared.set(1)
      ended.signal()
    }
    inTask {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          started.signal()
          letTimePass()
          continuation.resume()
        }
      }
      _ = shared.get()
    }
    ended.wait()
  },
  Program(
    "yielded-by-another", "one task writes, and another yields to the task that reads",
    .predicts(.race)
  ) {
    let shared = Shared()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    inTasks {
      shared.set(1)
    } and: {
      async let reader: Void = {
        for await _ in stream { _ = shared.get() }
      }()
      letTimePass()
      continuation.yield(1)
      continuation.finish()
      await reader
    }
  },
  Program(
    "written-after-an-actor", "a task writes a number after it has left the actor that guards it",
    .predicts(.race)
  ) {
    let shared = Shared()
    let keeper = Keeper(shared)
    inTasks {
      await keeper.add(1)
      shared.set(1)
    } and: {
      letTimePass()
      await keeper.add(1)
    }
  },
  Program("two-actors-write", "two actors write one number", .predicts(.race)) {
    let shared = Shared()
    let (one, other) = (Keeper(shared), Keeper(shared))
    inTasks {
      await one.add(1)
    } and: {
      letTimePass()
      await other.add(1)
    }
  },
  Program(
    "two-executors-write", "two actors, on a queue of its own each, write one number",
    .predicts(.race)
  ) {
    let shared = Shared()
    let (one, other) = (QueueKeeper(shared), QueueKeeper(shared))
    inTasks {
      await one.addAndStay(1)
    } and: {
      letTimePass()
      await other.add(1)
    }
  },
  Program(
    "written-while-cancelled", "a cancellation handler writes what the operation reads",
    .predicts(.race)
  ) {
    let shared = Shared()
    inTask {
      let task = Task.detached {
        await withTaskCancellationHandler {
          for _ in 0..<3 { letTimePass() }
          _ = shared.get()
        } onCancel: {
          shared.set(1)
        }
      }
      letTimePass()
      task.cancel()
      await task.value
    }
  },
  Program(
    "written-with-a-local", "two tasks bind a task-local, and write one number in it",
    .predicts(.race)
  ) {
    let shared = Shared()
    inTasks {
      await Local.$number.withValue(1) { await writeLocal(shared) }
    } and: {
      letTimePass()
      await Local.$number.withValue(2) { await writeLocal(shared) }
    }
  },
]

enum Local {
  @TaskLocal static var number = 0
}

func writeLocal(_ shared: Shared) async {
  await Task.yield()
  shared.set(Local.number)
}
