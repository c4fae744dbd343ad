import Dispatch
import Foundation
import Synchronization

// Bodies of tasks with known outcomes, which `TaskOutcomeTests` lists.

/// Reads a stream that another task feeds. The standard library's functions on sequences read it
/// without a call that the explorer sees.
private func fed(
  _ policy: AsyncStream<Int>.Continuation.BufferingPolicy = .unbounded,
  _ read: @escaping @Sendable (AsyncStream<Int>) async -> String
) {
  let seen = Shared("")
  runTask {
    let (stream, continuation) = AsyncStream<Int>.makeStream(bufferingPolicy: policy)
    let feeder = Task {
      continuation.yield(1)
      continuation.yield(2)
      continuation.finish()
    }
    seen.value = await read(stream)
    await feeder.value
  }
  Outcomes.note(seen.value)
}

private func joined<S: AsyncSequence>(_ sequence: S) async -> String
where S.Element == Int, S.Failure == Never {
  var text = ""
  for await element in sequence { text += "\(element)" }
  return text
}

private func grouped(_ read: @escaping @Sendable (inout TaskGroup<Int>) async -> String) {
  let seen = Shared("")
  runTask {
    seen.value = await withTaskGroup(of: Int.self) { group in
      for number in 1...2 { group.addTask { number } }
      return await read(&group)
    }
  }
  Outcomes.note(seen.value)
}

private func cancelled(_ work: @escaping @Sendable (Shared<String>) async -> Bool) {
  let seen = Shared("")
  runTask {
    let trail = Shared("")
    let task = Task { await work(trail) }
    task.cancel()
    let found = await task.value
    seen.value = "\(trail.value)-\(found)"
  }
  Outcomes.note(seen.value)
}

private actor Debouncer {
  private let tolerance: Duration?
  private var last: Task<Void, Never>?
  private(set) var fired = ""

  init(tolerance: Duration?) { self.tolerance = tolerance }

  func call(_ name: String) {
    last?.cancel()
    last = Task {
      do {
        try await Task.sleep(for: .milliseconds(100), tolerance: tolerance)
      } catch {
        return
      }
      fired += name
    }
  }

  func finish() async { await last?.value }
}

/// The first sleep may end before its task is cancelled.
private func debounce(tolerance: Duration?) {
  let seen = Shared("")
  runTask {
    let debouncer = Debouncer(tolerance: tolerance)
    await debouncer.call("a")
    await debouncer.call("b")
    await debouncer.finish()
    seen.value = await debouncer.fired
  }
  Outcomes.note(seen.value)
}

let taskOutcomeBodies = [
  Body("debounced") {
    debounce(tolerance: nil)
    return true
  },
  Body("debounced-with-tolerance") {
    debounce(tolerance: .milliseconds(10))
    return true
  },
  Body("discarding-group-empty") {
    // The first task may have ended before the test.
    runTask {
      await withDiscardingTaskGroup { group in
        group.addTask {}
        Outcomes.note(group.isEmpty ? "empty" : "not")
      }
    }
    return true
  },
  Body("priority") {
    runTask { _ = Task.currentPriority }
    return true
  },
  Body("escalation-handler") {
    runTask {
      let worker = Task(priority: .low) {
        await withTaskPriorityEscalationHandler {
          await Task.yield()
        } onPriorityEscalated: { _, _ in
        }
      }
      await worker.value
    }
    return true
  },
  Body("stream-loop") {
    fed(.bufferingNewest(1)) { stream in
      var text = ""
      for await element in stream { text += "\(element)" }
      return text
    }
    return true
  },
  Body("stream-reduce") {
    fed(.bufferingNewest(1)) { await $0.reduce("") { $0 + "\($1)" } }
    return true
  },
  Body("stream-map") {
    fed(.bufferingNewest(1)) { await joined($0.map { $0 }) }
    return true
  },
  Body("stream-first") {
    fed(.bufferingNewest(1)) { "\(await $0.first { _ in true } ?? 0)" }
    return true
  },
  Body("stream-generic") {
    fed(.bufferingNewest(1)) { await joined($0) }
    return true
  },
  Body("stream-reduce-all") {
    fed { await $0.reduce("") { $0 + "\($1)" } }
    return true
  },
  Body("group-reduce") {
    grouped { await $0.reduce("") { $0 + "\($1)" } }
    return true
  },
  Body("group-first") {
    grouped { "\(await $0.first { _ in true } ?? 0)" }
    return true
  },
  Body("cancelled-handled") {
    cancelled { trail in
      await withTaskCancellationHandler {
        Task.isCancelled
      } onCancel: {
        trail.value = "handler"
      }
    }
    return true
  },
  Body("cancelled-behind-mutex") {
    let seen = Shared("")
    runTask {
      let trail = Mutex("")
      let task = Task {
        await withTaskCancellationHandler {
          trail.withLock { $0 += "o" }
        } onCancel: {
          trail.withLock { $0 += "h" }
        }
      }
      task.cancel()
      await task.value
      seen.value = trail.withLock { $0 }
    }
    Outcomes.note(seen.value)
    return true
  },
  Body("let-left") {
    // The end of the scope cancels the child.
    let (seen, lock) = (Shared(""), NSLock())
    runTask {
      async let _: Void = {
        lock.withLock {}
        seen.value += Task.isCancelled ? "cancelled" : "not"
      }()
      lock.withLock {}
    }
    Outcomes.note(seen.value)
    return true
  },
  Body("let-left-in-stream") {
    // The child ends only because the end of the scope cancels it.
    let (stream, feed) = AsyncStream<Int>.makeStream()
    let seen = Shared("")
    runTask {
      async let _: Void = {
        for await _ in stream {}
        seen.value += "ended"
      }()
    }
    feed.finish()
    Outcomes.note(seen.value)
    return true
  },
  Body("stream-handler") {
    let feed = AsyncStream<Int>.makeStream().continuation
    let seen = Shared("")
    runThreads({ feed.onTermination = { _ in seen.value += "handled" } }, { feed.finish() })
    Outcomes.note(seen.value.isEmpty ? "unhandled" : seen.value)
    return true
  },
  Body("stream-result") {
    let (stream, feed) = AsyncThrowingStream<Int, any Error>
      .makeStream(bufferingPolicy: .bufferingNewest(1))
    let seen = Shared("")
    runThreads({ feed.yield(with: .success(1)) }, { feed.yield(with: .success(2)) })
    feed.finish()
    runTask { seen.value = "\((try? await stream.first { _ in true }) ?? 0)" }
    Outcomes.note(seen.value)
    return true
  },
  Body("discarding-group-cancelled") {
    let (seen, lock) = (Shared(""), NSLock())
    runTask {
      await withDiscardingTaskGroup { group in
        group.addTask {
          lock.withLock {}
          seen.value = Task.isCancelled ? "cancelled" : "not"
        }
        group.cancelAll()
      }
    }
    Outcomes.note(seen.value)
    return true
  },
  Body("added-unless-cancelled") {
    let seen = Shared("")
    let lock = NSLock()
    let task = Task {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          seen.value += group.addTaskUnlessCancelled {} ? "a" : "r"
          lock.withLock {}
        }
      }
    }
    task.cancel()
    runTask { await task.value }
    Outcomes.note(seen.value)
    return true
  },
  Body("passed-limits") {
    let (seen, group) = (Shared(""), DispatchGroup())
    let (mutex, semaphore) = (makeMutex(), Cell(sem_t()))
    sem_init(semaphore.pointer, 0, 0)
    group.enter()
    pthread_mutex_lock(mutex.pointer)
    let other = startThread {
      var past = timespec()
      seen.value += group.wait(timeout: .now()) == .success ? "g" : "-"
      seen.value += sem_timedwait(semaphore.pointer, &past) == 0 ? "s" : "-"
      seen.value += pthread_mutex_timedlock(mutex.pointer, &past) == 0 ? "m" : "-"
    }
    group.leave()
    sem_post(semaphore.pointer)
    pthread_mutex_unlock(mutex.pointer)
    pthread_join(other, nil)
    Outcomes.note(seen.value)
    return true
  },
]
