import Foundation

/// What tasks do in no order, and what orders them: who makes whom, who awaits whom, and the actor
/// that both are on.
let taskRacePrograms: [PredictProgram] = [
  PredictProgram("tasks-write-in-no-order", "two tasks write a number, and nobody awaits either") {
    let shared = Shared()
    inTasks {
      shared.set(1)
    } and: {
      letTimePass()
      shared.set(2)
    }
  },
  PredictProgram("task-and-its-maker", "a task writes a number, and who made it reads it at once") {
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
  PredictProgram("children-write-in-no-order", "two children of a task group write one number") {
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
  PredictProgram("child-added-late", "a child writes a number that an earlier child has written") {
    let shared = Shared()
    inTask {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { shared.set(1) }
        letTimePass()
        group.addTask { shared.set(2) }
      }
    }
  },
  PredictProgram(
    "async-let-awaited-too-late", "an async let and who awaits it later write one number"
  ) {
    let shared = Shared()
    inTask {
      async let first: Void = shared.set(1)
      letTimePass()
      shared.set(2)
      await first
    }
  },
  PredictProgram("actor-bypassed", "an actor writes a number, and a task reads it beside the actor")
  {
    let shared = Shared()
    let keeper = Keeper(shared)
    inTasks {
      await keeper.add(1)
    } and: {
      letTimePass()
      _ = shared.get()
    }
  },
  PredictProgram("value-awaited-too-late", "a task reads what another wrote, and awaits it then") {
    let shared = Shared()
    let writer = Task.detached { shared.set(1) }
    inTask {
      letTimePass()
      _ = shared.get()
      await writer.value
    }
  },
  PredictProgram(
    "resumed-before-write", "a continuation is resumed, and what it stands for written then"
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

  PredictProgram(
    "tasks-on-an-executor-of-ones-own", "two tasks on a concurrent queue write a number in no order"
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

  PredictProgram("task-comes-after-its-maker", "a thread writes, and the tasks that it makes read")
  {
    let shared = Shared()
    shared.set(1)
    inTasks {
      _ = shared.get()
    } and: {
      _ = shared.get()
    }
    shared.set(2)
  },
  PredictProgram(
    "value-awaited", "a task writes, and others await it, as it runs and when it has ended"
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
  PredictProgram(
    "child-added-after-the-first", "a child writes a number after its parent awaited the writer"
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
  PredictProgram("results-of-a-group", "each child writes what its parent reads with the result") {
    inTask { for _ in 0..<20 { await readResults() } }
  },
  PredictProgram("async-let-awaited", "async lets write, and who awaits them reads") {
    inTask {
      for _ in 0..<50 {
        let shared = Shared()
        let other = Shared()
        async let first: Void = shared.set(1)
        async let second: Void = other.set(2)
        _ = await (first, second)
        shared.set(shared.get() + other.get())
        // Left without a wait: its end is awaited where its scope ends.
        do { async let third: Void = shared.set(3) }
        _ = shared.get()
      }
    }
  },
  PredictProgram("under-one-actor", "tasks add by an actor, and read where it has returned") {
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
  PredictProgram("on-the-main-actor", "tasks add on the main actor, and one reads what came of it")
  {
    let shared = Shared()
    inTasks {
      for _ in 0..<20 { await MainActor.run { shared.set(shared.get() + 1) } }
    } and: {
      for _ in 0..<20 { await MainActor.run { shared.set(shared.get() + 1) } }
    }
    _ = shared.get()
  },
  PredictProgram(
    "resumed-after-write", "what continuations stand for is written before they are resumed"
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
          // Resumed before the task waits, now and then.
          sched_yield()
        }
        _ = shared.get()
      }
    }
  },
  PredictProgram("handed-over-a-stream", "what is written is yielded then, and read by who gets it")
  {
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
  PredictProgram(
    "read-in-a-cancellation-handler", "a task writes, and its cancellation handler reads"
  ) {
    let shared = Shared()
    let isSet = DispatchSemaphore(value: 0)
    let task = Task.detached {
      shared.set(1)
      await withTaskCancellationHandler {
        isSet.signal()
        try? await Task.sleep(nanoseconds: 10_000_000_000)
      } onCancel: {
        _ = shared.get()
      }
    }
    isSet.wait()
    task.cancel()
    inTask { await task.value }
  },
  PredictProgram(
    "used-in-cancellation-handlers", "what handlers use, tell and start comes after who set them up"
  ) {
    inTask { await leaveAnAsyncLet() }
    inTask { try? await throwOutOfAGroup() }
    let (first, second) = (Shared(), Shared())
    let ended = DispatchSemaphore(value: 0)
    let isTold = DispatchSemaphore(value: 0)
    let tasks = [
      Task.detached {
        await setAndWait(first) {
          Task.detached {
            first.set(2)
            ended.signal()
          }
        }
      },
      Task.detached { await setAndWait(second) { isTold.signal() } },
    ]
    Thread.detachNewThread {
      isTold.wait()
      second.set(2)
      ended.signal()
    }
    letTimePass()
    for task in tasks { task.cancel() }
    for _ in tasks { ended.wait() }
  },
  PredictProgram(
    "started-as-a-stream-ends", "the task that a stream's end starts comes after who set it up"
  ) {
    let shared = Shared()
    let ended = DispatchSemaphore(value: 0)
    let task = Task.detached {
      shared.set(1)
      let stream = AsyncStream<Int> { continuation in
        continuation.onTermination = { _ in
          Task.detached {
            shared.set(2)
            ended.signal()
          }
        }
      }
      for await _ in stream {}
    }
    letTimePass()
    task.cancel()
    ended.wait()
  },
  PredictProgram(
    "told-in-a-sequences-closure", "who waits for what a closure of a stream's contains() tells"
  ) {
    let shared = Shared()
    let made = AsyncStream.makeStream(of: Int.self)
    let isFound = DispatchSemaphore(value: 0)
    Task.detached {
      letTimePass()
      letTimePass()
      _ = await made.stream.contains { number in
        isFound.signal()
        return number == 1
      }
    }
    letTimePass()
    Thread.detachNewThread {
      shared.set(1)
      made.continuation.yield(1)
    }
    isFound.wait()
    shared.set(2)
  },
  PredictProgram(
    "on-an-executor-of-its-own", "an actor on a Dispatch queue, and the queue's own blocks"
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
  PredictProgram("tasks-under-a-lock", "tasks write a number under an NSLock") {
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

/// Longer than a section takes: what comes behind it does not meet what came before. Blocks its
/// thread, as no task should: an `await` would be an order.
private func letTimePass() { Thread.sleep(forTimeInterval: 0.1) }

private func inTask(_ body: @escaping @Sendable () async -> Void) {
  let ended = DispatchSemaphore(value: 0)
  Task {
    await body()
    ended.signal()
  }
  ended.wait()
}

/// Two tasks, both made before either runs.
private func inTasks(
  _ first: @escaping @Sendable () async -> Void, and second: @escaping @Sendable () async -> Void
) {
  let ended = DispatchSemaphore(value: 0)
  for body in [first, second] {
    Task.detached {
      await body()
      ended.signal()
    }
  }
  for _ in 0..<2 { ended.wait() }
}

/// Left while its child waits: that is cancelled, on this thread.
private func leaveAnAsyncLet() async {
  let shared = Shared()
  async let _: Void = setAndWait(shared) { shared.set(2) }
  letTimePass()
}

private func throwOutOfAGroup() async throws {
  let shared = Shared()
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { await setAndWait(shared) { shared.set(2) } }
    letTimePass()
    throw CancellationError()
  }
}

private func setAndWait(_ shared: Shared, onCancel: @escaping @Sendable () -> Void) async {
  shared.set(1)
  await withTaskCancellationHandler {
    try? await Task.sleep(nanoseconds: 10_000_000_000)
  } onCancel: {
    onCancel()
  }
}

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

private actor Keeper {
  private let shared: Shared
  private(set) var count = 0

  init(_ shared: Shared) { self.shared = shared }

  func add(_ number: Int) {
    shared.set(shared.get() + number)
    count += 1
  }
}

private actor QueueKeeper {
  private let executor = QueueExecutor()
  private let shared: Shared

  init(_ shared: Shared) { self.shared = shared }

  nonisolated var queue: DispatchQueue { executor.queue }
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func add(_ number: Int) { shared.set(shared.get() + number) }
}

private final class QueueExecutor: SerialExecutor {
  let queue = DispatchQueue(label: "keeper")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

private final class ConcurrentExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "tasks", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
