import Dispatch
import Foundation

/// Runs asynchronous code to its end.
func runTask(_ work: @escaping @Sendable () async -> Void) {
  let done = DispatchSemaphore(value: 0)
  Task {
    await work()
    done.signal()
  }
  done.wait()
}

private actor Account {
  private(set) var balance = 0

  func add() { balance += 1 }
  /// Reads, yields and writes: other calls may enter the actor in between.
  func addAcrossAwait() async {
    let old = balance
    await Task.yield()
    balance = old + 1
  }
  func add(_ name: String, to trail: Trail) { trail.append(name) }
}

@MainActor private final class Screen {
  var updates = 0
  func update() { updates += 1 }
  func updateAcrossAwait() async {
    let old = updates
    await Task.yield()
    updates = old + 1
  }
}

let taskBodies = [
  Body("actor-reentrancy") {
    let account = Account()
    let balance = Shared(0)
    runTask {
      let tasks = (0..<2).map { _ in Task { await account.addAcrossAwait() } }
      for task in tasks { await task.value }
      balance.value = await account.balance
    }
    return balance.value == 2
  },
  Body("actor-reentrancy-repaired") {
    let account = Account()
    let balance = Shared(0)
    runTask {
      let tasks = (0..<3).map { _ in Task { await account.add() } }
      for task in tasks { await task.value }
      balance.value = await account.balance
    }
    return balance.value == 3
  },
  Body("actor-order") {
    let account = Account()
    let trail = Trail()
    runTask {
      await withTaskGroup(of: Void.self) { group in
        for name in ["a", "b", "c"] { group.addTask { await account.add(name, to: trail) } }
      }
    }
    Outcomes.note(trail.text)
    return true
  },
  Body("main-actor") {
    let updates = Shared(0)
    runTask {
      let screen = Screen()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { await screen.update() } }
      }
      updates.value = await screen.updates
    }
    return updates.value == 3
  },
  Body("main-actor-reentrancy") {
    let updates = Shared(0)
    runTask {
      let screen = Screen()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { await screen.updateAcrossAwait() } }
      }
      updates.value = await screen.updates
    }
    return updates.value == 2
  },
  Body("async-let") {
    let sum = Shared(0)
    runTask {
      async let first = Task { 1 }.value
      async let second = 2
      sum.value = await first + second
    }
    return sum.value == 3
  },
  Body("group-results") {
    let trail = Trail()
    runTask {
      await withTaskGroup(of: String.self) { group in
        for name in ["a", "b"] {
          group.addTask {
            await Task.yield()
            return name
          }
        }
        for await name in group { trail.append(name) }
      }
    }
    Outcomes.note(trail.text)
    return true
  },
  Body("cancellation") {
    // The task may read `isCancelled` before or after its cancellation.
    let found = Shared(false)
    runTask {
      let task = Task { Task.isCancelled }
      task.cancel()
      found.value = await task.value
    }
    Outcomes.note(found.value ? "cancelled" : "not cancelled")
    return true
  },
  Body("child-cancellation") {
    let trail = Trail()
    runTask {
      await withTaskGroup(of: Bool.self) { group in
        group.addTask { Task.isCancelled }
        group.cancelAll()
        for await isCancelled in group { trail.append(isCancelled ? "cancelled" : "not cancelled") }
      }
    }
    Outcomes.note(trail.text)
    return true
  },
  Body("cancelled-sleep") {
    let trail = Trail()
    runTask {
      let task = Task {
        do {
          try await Task.sleep(for: .seconds(3600))
          trail.append("slept")
        } catch {
          trail.append("cancelled")
        }
      }
      task.cancel()
      await task.value
    }
    return trail.text == "cancelled"
  },
  Body("sleeps-of-hours") {
    let start = DispatchTime.now()
    runTask {
      async let first: Void = Task.sleep(for: .seconds(7200))
      async let second: Void = Task.sleep(nanoseconds: 3_600_000_000_000)
      async let third: Void = Task.sleep(for: .seconds(60), tolerance: .seconds(1))
      _ = try? await (first, second, third)
    }
    return DispatchTime.now() >= start + .seconds(7200)
  },
  Body("yields") {
    let group = DispatchGroup()
    for _ in 0..<3 {
      group.enter()
      Task {
        for _ in 0..<4 { await Task.yield() }
        group.leave()
      }
    }
    group.wait()
    return true
  },
  Body("blocked-tasks") {
    // Each task blocks its thread until the other task runs, which never happens with one thread.
    let first = DispatchSemaphore(value: 0)
    let second = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    let meet: @Sendable (DispatchSemaphore, DispatchSemaphore) -> Void = { own, other in
      group.enter()
      Task {
        own.signal()
        wait(for: other)
        group.leave()
      }
    }
    meet(first, second)
    meet(second, first)
    group.wait()
    return true
  },
  Body("priorities") {
    // Either of the two priorities may run first.
    let trail = Trail()
    let group = DispatchGroup()
    for (name, priority) in [("h", TaskPriority.high), ("l", TaskPriority.low)] {
      group.enter()
      Task.detached(priority: priority) {
        trail.append(name)
        group.leave()
      }
    }
    group.wait()
    Outcomes.note(trail.text)
    return true
  },
]

/// Wraps the wait because asynchronous code may not call it: it blocks the thread.
private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

private actor Tally {
  private(set) var count = 0
  func add() { count += 1 }
}

/// Occupies freed memory in every second execution, so that an object gets the address of an
/// earlier object in one execution and a new address in the next.
private enum OtherMemory {
  // Unsafe: only the running logical thread accesses it.
  nonisolated(unsafe) private static var isTaken = false

  static func inEverySecondExecution(_ body: () -> Bool) -> Bool {
    isTaken.toggle()
    let sizes = isTaken ? Array(stride(from: 16, through: 1024, by: 16)) : []
    let taken = sizes.flatMap { size in (0..<32).map { _ in malloc(size) } }
    defer { for memory in taken { free(memory) } }
    return body()
  }
}

/// Runs a task to its end.
private func inTask(_ run: @escaping @Sendable () async -> Void) -> Bool {
  OtherMemory.inEverySecondExecution {
    let done = DispatchSemaphore(value: 0)
    Task {
      await run()
      done.signal()
    }
    done.wait()
    return true
  }
}

/// Bodies whose objects get the memory of earlier objects, and bodies whose orders a narrow pool
/// would prevent.
let reuseBodies = [
  Body("four-tasks-one-lock") {
    let (lock, order, done) = (NSLock(), Shared(""), DispatchGroup())
    for name in ["A", "B", "C", "D"] {
      done.enter()
      Task {
        lock.withLock { order.value += name }
        done.leave()
      }
    }
    done.wait()
    Outcomes.note(order.value)
    return true
  },
  Body("two-yields") {
    let done = DispatchGroup()
    for _ in 0..<2 {
      done.enter()
      Task {
        await Task.yield()
        done.leave()
      }
    }
    done.wait()
    Outcomes.note("done")
    return true
  },
  Body("sleeps-handler-stream") {
    inTask {
      let tally = Tally()
      await withTaskCancellationHandler {
        try? await Task.sleep(for: .milliseconds(1))
        await tally.add()
        try? await Task.sleep(for: .milliseconds(1))
      } onCancel: {
      }
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      continuation.finish()
      for await _ in stream {}
    }
  },
  Body("actors-one-after-another") {
    inTask {
      for _ in 0..<3 {
        await Tally().add()
        await withCheckedContinuation { $0.resume() }
        async let one: Void = Tally().add()
        async let other: Void = Task.yield()
        _ = await (one, other)
      }
    }
  },
  Body("objects-one-after-another") {
    OtherMemory.inEverySecondExecution {
      for _ in 0..<3 {
        let lock = NSLock()
        let queue = DispatchQueue(label: "short")
        let group = DispatchGroup()
        queue.async(group: group) { lock.withLock {} }
        group.wait()
        let condition = NSCondition()
        runThreads({ condition.withLock { condition.signal() } }, { sem_wait_and_post() })
        let item = DispatchWorkItem {}
        queue.async(execute: item)
        item.wait()
      }
      return true
    }
  },
]

private func sem_wait_and_post() {
  let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  sem_init(semaphore, 0, 1)
  sem_wait(semaphore)
  sem_post(semaphore)
  sem_destroy(semaphore)
  semaphore.deallocate()
}
