import Dispatch

private actor Counter {
  private(set) var count = 0
  func add() { count += 1 }
}

/// Blocks the thread until asynchronous code has ended.
private func wait(_ run: @escaping @Sendable () async -> Bool) -> Bool {
  let done = DispatchSemaphore(value: 0)
  let passed = Shared(false)
  Task {
    passed.value = await run()
    done.signal()
  }
  done.wait()
  return passed.value
}

/// Bodies with `size` tasks, which measure what a step costs with many threads.
func manyTaskBodies(_ size: Int) -> [Body] {
  [
    Body("many-on-an-actor") {
      wait {
        let counter = Counter()
        let tasks = (0..<size).map { _ in Task { await counter.add() } }
        for task in tasks { await task.value }
        return await counter.count == size
      }
    },
    Body("many-in-a-group-on-an-actor") {
      wait {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<size { group.addTask { await counter.add() } }
        }
        return await counter.count == size
      }
    },
    Body("many-in-a-group") {
      wait {
        await withTaskGroup(of: Int.self) { group in
          for number in 0..<size { group.addTask { number } }
          return await group.reduce(0, +) == size * (size - 1) / 2
        }
      }
    },
    Body("many-that-yield") {
      wait {
        let tasks = (0..<size).map { _ in Task { await Task.yield() } }
        for task in tasks { await task.value }
        return true
      }
    },
    Body("many-that-sleep") {
      wait {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<size { group.addTask { try? await Task.sleep(for: .milliseconds(1)) } }
        }
        return true
      }
    },
    Body("many-on-a-serial-queue") {
      let queue = DispatchQueue(label: "serial")
      let count = Shared(0)
      for _ in 0..<size { queue.async { count.value += 1 } }
      return queue.sync { count.value == size }
    },
  ]
}
