import Dispatch
import Synchronization

/// An object whose first property is an atomic, and one whose first property is a mutex. Both have
/// one size.
private final class Counter: Sendable {
  let value = Atomic(0)
  let other = 0
}

private final class Guarded: Sendable {
  let value = Mutex(0)
}

/// Has the same size. Unchecked: racy programs leave the uses unordered on purpose.
private final class Switch: @unchecked Sendable {
  var isOn = false
  var count = 0

  @inline(never) func turnOn() { isOn = true }
}

/// Unchecked: as `Switch`.
private final class Total: @unchecked Sendable {
  var value = 0

  @inline(never) func add() { value += 1 }
}

@inline(never) private func useAtomic() {
  let counter = Counter()
  counter.value.store(1, ordering: .releasing)
}

@inline(never) private func useMutex() {
  let guarded = Guarded()
  guarded.value.withLock { $0 += 1 }
}

private func turnOnTwice() {
  let shared = Switch()
  inThreads { _ in shared.turnOn() }
}

/// Runs a body as a task, and waits for it.
private func inTask(_ body: @escaping @Sendable () async -> Void) {
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    await body()
    done.signal()
  }
  done.wait()
}

/// More tasks, one after another, than the clocks of tasks have slots.
private let many = 500

extension SwiftPrograms {
  /// Memory and tasks that end, whose address or slot others get.
  static let reused: [String: @Sendable () -> Void] = [
    "recycled_atomic.racy": {
      useAtomic()
      turnOnTwice()
    },
    "recycled_mutex.racy": {
      useMutex()
      turnOnTwice()
    },
    // A task ends and is not awaited; many others are. Nothing orders the first.
    "task_slots.racy": {
      let total = Total()
      inTask {
        Task.detached { total.add() }
        for _ in 0..<many { await Task.detached {}.value }
        total.add()
      }
    },
    // The same with tasks that run at once, each of which is awaited.
    "task_slots_group.racy": {
      let total = Total()
      inTask {
        Task.detached { total.add() }
        for _ in 0..<many / 10 {
          await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask {} }
          }
        }
        total.add()
      }
    },
    // The task that ended long ago was awaited.
    "task_slots.correct": {
      let total = Total()
      inTask {
        await Task.detached { total.add() }.value
        for _ in 0..<many { await Task.detached {}.value }
        total.add()
      }
    },
    // Tasks of which each comes after the one before, on few slots.
    "task_slots_chain.correct": {
      let total = Total()
      inTask {
        for _ in 0..<many { await Task.detached { total.add() }.value }
        total.add()
      }
    },
    // An awaited task comes after an ended one, whose slot yet another task has.
    "task_slots_through.correct": {
      let total = Total()
      inTask {
        let first = Task.detached { total.add() }
        let second = Task.detached { await first.value }
        await second.value
        for _ in 0..<many {
          Task.detached {}
          await Task.detached {}.value
        }
        total.add()
      }
    },
    "task_slots_group.correct": {
      inTask {
        for _ in 0..<many / 10 {
          let totals = (0..<10).map { _ in Total() }
          await withTaskGroup(of: Void.self) { group in
            for total in totals { group.addTask { total.add() } }
          }
          for total in totals { total.add() }
        }
      }
    },
  ]
}
