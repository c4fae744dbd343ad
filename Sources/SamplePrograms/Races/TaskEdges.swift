import Foundation
import Programs

/// Accesses by tasks that the runtime orders, each in one way.
let taskEdgePrograms: [Program] = [
  Program("written-between-yields", "a task yields between its writes, on any thread", .predicts())
  {
    let shared = Shared()
    inTask {
      for number in 0..<50 {
        shared.set(number)
        await Task.yield()
      }
    }
    _ = shared.get()
  },
  Program("written-between-sleeps", "a task sleeps by each clock between its writes", .predicts()) {
    let shared = Shared()
    inTask {
      for number in 0..<5 {
        shared.set(number)
        try? await Task.sleep(for: .milliseconds(1))
        shared.set(number)
        try? await SuspendingClock().sleep(for: .milliseconds(1))
        shared.set(number)
        try? await Task.sleep(for: .milliseconds(1), tolerance: .milliseconds(1))
      }
    }
  },
  Program(
    "children-awaited-in-turn", "a parent writes after each child that it awaits", .predicts()
  ) {
    let shared = Shared()
    inTask {
      await withTaskGroup(of: Int.self) { group in
        for number in 0..<20 {
          group.addTask {
            await Task.yield()
            shared.set(number)
            return number
          }
          for await number in group { shared.set(number + 1) }
        }
      }
    }
  },
  Program(
    "discarded-children-awaited", "children of a discarding group write, and its parent reads",
    .predicts()
  ) {
    inTask {
      for _ in 0..<20 {
        let numbers = [Shared(), Shared(), Shared()]
        await withDiscardingTaskGroup { group in
          for number in numbers { group.addTask { number.set(1) } }
        }
        for number in numbers { _ = number.get() }
      }
    }
  },
  Program("values-awaited-in-a-row", "each task awaits the one before it, and writes", .predicts())
  {
    let shared = Shared()
    inTask {
      var last = Task.detached { shared.set(0) }
      for number in 1..<50 {
        last = Task.detached { [last] in
          await last.value
          shared.set(number)
        }
      }
      await last.value
      _ = shared.get()
    }
  },
  Program(
    "async-lets-in-turn", "a parent writes after each 'async let' that it awaits", .predicts()
  ) {
    let shared = Shared()
    inTask {
      for number in 0..<30 {
        async let child: Void = shared.set(number)
        await child
        shared.set(number + 1)
      }
    }
  },
  Program(
    "resumed-by-the-writer", "threads write and resume, before the task waits and afterwards",
    .predicts()
  ) {
    let shared = Shared()
    inTask {
      for number in 0..<20 {
        await withCheckedContinuation { continuation in
          let queue = DispatchQueue(label: "writer")
          queue.async {
            shared.set(number)
            continuation.resume()
          }
          if number % 2 == 0 { queue.sync {} }
        }
        _ = shared.get()
        await withUnsafeContinuation { continuation in
          shared.set(number)
          continuation.resume()
        }
      }
    }
  },
  Program(
    "yielded-by-the-writer", "a task writes before it yields, to a buffer or to the reader",
    .predicts()
  ) {
    inTask {
      for number in 0..<20 {
        let shared = Shared()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        async let reader: Void = {
          for await _ in stream { _ = shared.get() }
        }()
        if number % 2 == 0 { await Task.yield() }
        shared.set(number)
        continuation.yield(1)
        continuation.finish()
        await reader
      }
    }
  },
  Program(
    "written-on-one-actor", "tasks write on one actor, one beside and after another", .predicts()
  ) {
    let shared = Shared()
    let keeper = Keeper(shared)
    inTask {
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<50 { group.addTask { await keeper.add(number) } }
      }
      for number in 0..<20 { await keeper.add(number) }
      _ = shared.get()
    }
  },
  Program("carried-between-actors", "a task writes on one actor after another", .predicts()) {
    let shared = Shared()
    let (one, other) = (Keeper(shared), QueueKeeper(shared))
    inTask {
      for number in 0..<20 {
        await one.add(number)
        await other.add(number)
        shared.set(number)
      }
    }
  },
  Program("queued-beside-an-executor", "blocks and an actor write on one queue", .predicts()) {
    let shared = Shared()
    let keeper = QueueKeeper(shared)
    inTask {
      for number in 0..<20 {
        keeper.queue.async { shared.set(number) }
        await keeper.add(number)
        keeper.queue.sync { shared.set(number) }
      }
    }
  },
  Program(
    "read-after-the-handler", "a task reads what the handler of its cancellation has written",
    .predicts()
  ) {
    inTask {
      for _ in 0..<10 {
        let shared = Shared()
        shared.set(1)
        let task = Task.detached {
          await withTaskCancellationHandler {
            while !Task.isCancelled { await Task.yield() }
          } onCancel: {
            shared.set(2)
          }
          _ = shared.get()
        }
        task.cancel()
        await task.value
      }
    }
  },
  Program(
    "written-in-turn-with-a-local", "children write in turn with a task-local bound", .predicts()
  ) {
    let shared = Shared()
    inTask {
      for number in 0..<20 {
        await Local.$number.withValue(number) {
          await writeLocal(shared)
          async let child: Void = writeLocal(shared)
          await child
          _ = shared.get()
        }
      }
    }
  },
  Program(
    "immediate-tasks", "a task starts others on its own thread, and writes after them", .predicts()
  ) {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let shared = Shared()
    inTask {
      for number in 0..<20 {
        let task = Task.immediate {
          shared.set(number)
          await Task.yield()
          return number
        }
        shared.set(number)
        _ = await task.value
        shared.set(number)
      }
    }
  },
  Program(
    "many-tasks-in-turn", "each of 20,000 tasks writes when the last one has ended", .predicts()
  ) {
    let shared = Shared()
    inTask { for number in 0..<20_000 { await Task { shared.set(number) }.value } }
  },
]
