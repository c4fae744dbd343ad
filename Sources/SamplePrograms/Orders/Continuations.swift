import Programs

/// Continuations that are resumed twice, or never.
let continuationPrograms: [Program] = [
  Program(
    "resumed-twice", "an answer and a time-out both resume a continuation",
    .failsInSomeOrder(.crashed),
    twin: "one hold of the lock takes the continuation that is resumed",
    source: "MCP swift-sdk, pull request 113: request continuations resumed twice"
  ) {
    let value = inTask {
      await withCheckedContinuation { continuation in
        let isResumed = Guarded(false)
        let resume = { @Sendable (value: Int) in
          if isResumed.value { return }
          isResumed.set(true)
          // Traps if the continuation was resumed before.
          continuation.resume(returning: value)
        }
        Task { resume(1) }
        Task { resume(2) }
      }
    }
    try expect(value == 1 || value == 2, "the value is \(value)")
  } right: {
    let value = inTask {
      await withCheckedContinuation { continuation in
        let waiting = Guarded<CheckedContinuation<Int, Never>?>(continuation)
        let resume = { @Sendable (value: Int) in
          let taken = waiting.update { waiting in
            defer { waiting = nil }
            return waiting
          }
          taken?.resume(returning: value)
        }
        Task { resume(1) }
        Task { resume(2) }
      }
    }
    try expect(value == 1 || value == 2, "the value is \(value)")
  },

  Program(
    "cancelled-before-stored", "a task is cancelled before its continuation is stored",
    .failsInSomeOrder(.deadlock),
    twin: "the hold that stores the continuation also sees the cancellation",
    source: "swift-async-algorithms, pull request 449: a reader that is cancelled before it waits"
  ) {
    let stored = Guarded<CheckedContinuation<Void, Never>?>(nil)
    inTask {
      let task = Task {
        await withTaskCancellationHandler {
          await withCheckedContinuation { stored.set($0) }
        } onCancel: {
          stored.value?.resume()
        }
      }
      task.cancel()
      await task.value
    }
  } right: {
    let stored = Guarded((continuation: CheckedContinuation<Void, Never>?.none, isCancelled: false))
    inTask {
      let task = Task {
        await withTaskCancellationHandler {
          await withCheckedContinuation { continuation in
            let isCancelled = stored.update { stored in
              stored.continuation = continuation
              return stored.isCancelled
            }
            if isCancelled { continuation.resume() }
          }
        } onCancel: {
          let continuation = stored.update { stored in
            stored.isCancelled = true
            return stored.continuation
          }
          continuation?.resume()
        }
      }
      task.cancel()
      await task.value
    }
  },

  Program(
    "asynchronous-semaphore", "a task finds no permit, and is queued after the signal",
    .failsInSomeOrder(.deadlock),
    twin: "the task is queued in the actor's step that finds no permit"
  ) {
    let semaphore = AsynchronousSemaphore()
    inTask { await inTasks({ await semaphore.wait() }, { await semaphore.signal() }) }
  } right: {
    let semaphore = AsynchronousSemaphore()
    inTask { await inTasks({ await semaphore.waitAtOnce() }, { await semaphore.signal() }) }
  },

  Program(
    "answer-before-registration", "a request is sent before its continuation is registered",
    .failsInSomeOrder(.deadlock), twin: "the continuation is registered before the request is sent"
  ) {
    let waiting = Guarded<[Int: CheckedContinuation<Void, Never>]>([:])
    let answer = { @Sendable in waiting.update { $0.removeValue(forKey: 1) }?.resume() }
    inTask {
      Task { answer() }
      await withCheckedContinuation { continuation in waiting.update { $0[1] = continuation } }
    }
  } right: {
    let waiting = Guarded<[Int: CheckedContinuation<Void, Never>]>([:])
    let answer = { @Sendable in waiting.update { $0.removeValue(forKey: 1) }?.resume() }
    inTask {
      await withCheckedContinuation { continuation in
        waiting.update { $0[1] = continuation }
        Task { answer() }
      }
    }
  },
]

private actor AsynchronousSemaphore {
  private var permits = 0
  private var waiters: [CheckedContinuation<Void, Never>] = []

  func wait() async {
    if permits > 0 {
      permits -= 1
      return
    }
    await Task.yield()
    await withCheckedContinuation { waiters.append($0) }
  }

  func waitAtOnce() async {
    if permits > 0 {
      permits -= 1
      return
    }
    await withCheckedContinuation { waiters.append($0) }
  }

  func signal() {
    if waiters.isEmpty {
      permits += 1
    } else {
      waiters.removeFirst().resume()
    }
  }
}
