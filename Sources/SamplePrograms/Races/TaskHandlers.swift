import Foundation
import Programs

/// Accesses that handlers order: of a cancellation, of a stream's end, of a sequence.
let taskHandlerPrograms: [Program] = [
  Program(
    "read-in-a-cancellation-handler", "a task writes, and its cancellation handler reads",
    .predicts()
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
  Program(
    "used-in-cancellation-handlers",
    "what handlers use, signal and start comes after the code that set them up", .predicts()
  ) {
    inTask { await leaveAnAsyncLet() }
    inTask { try? await throwOutOfAGroup() }
    let (first, second) = (Shared(), Shared())
    let ended = DispatchSemaphore(value: 0)
    let isSet = DispatchSemaphore(value: 0)
    let tasks = [
      Task.detached {
        await setAndWait(first) {
          Task.detached {
            first.set(2)
            ended.signal()
          }
        }
      },
      Task.detached { await setAndWait(second) { isSet.signal() } },
    ]
    Thread.detachNewThread {
      isSet.wait()
      second.set(2)
      ended.signal()
    }
    letTimePass()
    for task in tasks { task.cancel() }
    for _ in tasks { ended.wait() }
  },
  Program(
    "started-as-a-stream-ends",
    "the task that a stream's end starts comes after the code that set it up", .predicts()
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
  Program(
    "told-in-a-sequences-closure",
    "a thread waits for what a closure of a stream's contains() signals", .predicts()
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
]

/// Returns while its child waits, which cancels the child on this thread.
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
