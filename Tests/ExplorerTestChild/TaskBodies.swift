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
  /// Reads, waits, writes: the actor is open to others in between.
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
    // The task may ask before it is cancelled, or after.
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
    // Each task blocks its thread until the other has come: with one thread that never happens.
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
    // Which of two priorities runs first is open.
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

/// Not offered to asynchronous code, for the reason that the body shows.
private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
