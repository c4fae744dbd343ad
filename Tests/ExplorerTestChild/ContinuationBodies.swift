import Dispatch
import Foundation

/// Continuations and streams.
let continuationBodies = [
  Body("lost-continuation") {
    // The handler is kept in a variable that a second caller overwrites.
    final class Once: @unchecked Sendable {
      // Unchecked: protected by the lock.
      let lock = NSLock()
      var waiting: CheckedContinuation<Void, Never>?
      var isDone = false

      func wait() async {
        if lock.withLock({ isDone }) { return }
        await withCheckedContinuation { continuation in lock.withLock { waiting = continuation } }
      }
      func finish() {
        let resumed = lock.withLock { () -> CheckedContinuation<Void, Never>? in
          isDone = true
          return waiting
        }
        resumed?.resume()
      }
    }
    let once = Once()
    runTask {
      let waiter = Task { await once.wait() }
      Task { once.finish() }
      await waiter.value
    }
    return true
  },
  Body("kept-continuation") {
    final class Once: @unchecked Sendable {
      // Unchecked: protected by the lock.
      let lock = NSLock()
      var waiting: CheckedContinuation<Void, Never>?
      var isDone = false

      func wait() async {
        await withCheckedContinuation { continuation in
          let isOver = lock.withLock { () -> Bool in
            if !isDone { waiting = continuation }
            return isDone
          }
          if isOver { continuation.resume() }
        }
      }
      func finish() {
        let resumed = lock.withLock { () -> CheckedContinuation<Void, Never>? in
          isDone = true
          return waiting
        }
        resumed?.resume()
      }
    }
    let once = Once()
    runTask {
      let waiter = Task { await once.wait() }
      Task { once.finish() }
      await waiter.value
    }
    return true
  },
  Body("cancellation-handler") {
    // The runtime holds the task's own lock while the handler runs.
    let lock = NSLock()
    let trail = Trail()
    runTask {
      let task = Task {
        await withTaskCancellationHandler {
          lock.withLock { trail.append("w") }
        } onCancel: {
          lock.withLock { trail.append("h") }
          lock.withLock { trail.append("H") }
        }
        lock.withLock { trail.append("e") }
      }
      task.cancel()
      await task.value
    }
    Outcomes.note(trail.text)
    return true
  },
  Body("continuation-from-queue") {
    let value = Shared(0)
    runTask {
      value.value = await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + 7200) {
          continuation.resume(returning: 7)
        }
      }
    }
    return value.value == 7
  },
  Body("stream") {
    let sum = Shared(0)
    runTask {
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      Task {
        for number in 1...3 { continuation.yield(number) }
        continuation.finish()
      }
      for await number in stream { sum.value += number }
    }
    return sum.value == 6
  },
  Body("stream-keeps-newest") {
    // The number of elements that the reader misses depends on when the reader starts.
    let trail = Trail()
    runTask {
      let (stream, continuation) = AsyncStream.makeStream(
        of: Int.self, bufferingPolicy: .bufferingNewest(1))
      Task {
        for number in 1...2 { continuation.yield(number) }
        continuation.finish()
      }
      for await number in stream { trail.append(number) }
    }
    Outcomes.note(trail.text)
    return true
  },
]
