import Foundation
import Programs

/// Accesses by tasks that are ordered: by creation, an await, an actor, an executor, a stream, or a
/// lock.
let taskOrderPrograms: [Program] = [
  Program(
    "task-comes-after-its-maker", "a thread writes, and the tasks that it makes read", .predicts()
  ) {
    let shared = Shared()
    shared.set(1)
    inTasks {
      _ = shared.get()
    } and: {
      _ = shared.get()
    }
    shared.set(2)
  },
  Program(
    "value-awaited", "a task writes, and others await it, as it runs and when it has ended",
    .predicts()
  ) {
    let shared = Shared()
    let writer = Task.detached {
      letTimePass()
      shared.set(1)
    }
    inTasks {
      await writer.value
      _ = shared.get()
    } and: {
      letTimePass()
      letTimePass()
      await writer.value
      _ = shared.get()
    }
  },
  Program(
    "child-added-after-the-first", "a child writes a number after its parent awaited the writer",
    .predicts()
  ) {
    let shared = Shared()
    inTask {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { shared.set(1) }
        await group.next()
        group.addTask { shared.set(2) }
      }
    }
  },
  Program(
    "results-of-a-group", "each child writes what its parent reads with the result", .predicts()
  ) {
    inTask { for _ in 0..<20 { await readResults() } }
  },
  Program("async-let-awaited", "async lets write, and the task that awaits them reads", .predicts())
  {
    inTask {
      for _ in 0..<50 {
        let shared = Shared()
        let other = Shared()
        async let first: Void = shared.set(1)
        async let second: Void = other.set(2)
        _ = await (first, second)
        shared.set(shared.get() + other.get())
        // Left without an explicit wait: the scope's end awaits it.
        do { async let third: Void = shared.set(3) }
        _ = shared.get()
      }
    }
  },
  Program(
    "under-one-actor", "tasks add through an actor, and read after its call has returned",
    .predicts()
  ) {
    let shared = Shared()
    let keeper = Keeper(shared)
    inTasks {
      await keeper.add(1)
    } and: {
      letTimePass()
      await keeper.add(1)
    }
    inTask {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            for _ in 0..<20 { await keeper.add(1) }
          }
        }
      }
      _ = shared.get()
      let last = Task.detached { await keeper.add(1) }
      while await keeper.count < 163 { await Task.yield() }
      _ = shared.get()
      await last.value
    }
  },
  Program("on-the-main-actor", "tasks add on the main actor, and one reads the sum", .predicts()) {
    let shared = Shared()
    inTasks {
      for _ in 0..<20 { await MainActor.run { shared.set(shared.get() + 1) } }
    } and: {
      for _ in 0..<20 { await MainActor.run { shared.set(shared.get() + 1) } }
    }
    _ = shared.get()
  },
  Program(
    "resumed-after-write",
    "values are written before the continuations that announce them are resumed", .predicts()
  ) {
    inTask {
      for _ in 0..<50 {
        let shared = Shared()
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async {
            shared.set(1)
            continuation.resume()
          }
        }
        shared.set(shared.get() + 1)
        await withUnsafeContinuation { continuation in
          Thread.detachNewThread {
            shared.set(2)
            continuation.resume()
          }
          // Sometimes resumed before the task waits.
          sched_yield()
        }
        _ = shared.get()
      }
    }
  },
  Program(
    "handed-over-a-stream",
    "a value is written, then yielded, and read by the task that receives it", .predicts()
  ) {
    let made = AsyncStream.makeStream(of: Shared.self)
    inTasks {
      await use(made.stream)
    } and: {
      for _ in 0..<50 {
        let shared = Shared()
        shared.set(1)
        made.continuation.yield(shared)
      }
      made.continuation.finish()
    }
  },
  Program(
    "on-an-executor-of-its-own", "an actor on a Dispatch queue, and the queue's own blocks",
    .predicts()
  ) {
    let shared = Shared()
    let keeper = QueueKeeper(shared)
    inTasks {
      for _ in 0..<20 { await keeper.add(1) }
    } and: {
      for _ in 0..<20 { await keeper.add(1) }
    }
    keeper.queue.sync { shared.set(shared.get() + 1) }
  },
  Program("tasks-under-a-lock", "tasks write a number under an NSLock", .predicts()) {
    let shared = Shared()
    let lock = NSLock()
    inTask {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            for _ in 0..<20 { lock.withLock { shared.set(shared.get() + 1) } }
          }
        }
      }
    }
  },
]

private func readResults() async {
  let all = (0..<4).map { _ in Shared() }
  await withTaskGroup(of: Int.self) { group in
    for (number, shared) in all.enumerated() {
      group.addTask {
        shared.set(number)
        return number
      }
    }
    for await number in group { all[number].set(all[number].get() + 1) }
  }
  await withTaskGroup(of: Void.self) { group in
    for shared in all { group.addTask { shared.set(shared.get() + 1) } }
  }
  for shared in all { _ = shared.get() }
  try? await withThrowingTaskGroup(of: Void.self) { group in
    for shared in all { group.addTask { shared.set(shared.get() + 1) } }
    try await group.waitForAll()
    for shared in all { _ = shared.get() }
  }
  await withDiscardingTaskGroup { group in
    for shared in all { group.addTask { shared.set(shared.get() + 1) } }
  }
  for shared in all { _ = shared.get() }
}

private func use(_ stream: AsyncStream<Shared>) async {
  let used = stream.map { shared in
    shared.set(shared.get() + 1)
    return shared
  }
  for await shared in used { shared.set(shared.get() + 1) }
}
