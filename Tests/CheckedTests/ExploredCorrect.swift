import Foundation
import InterlockTesting
import Synchronization
import Testing

/// Explored bodies whose accesses are all ordered, in a different way in each body.
@Suite(.serialized) struct ExploredCorrect {
  /// A number that two threads or tasks change. Unchecked: each test keeps them apart.
  final class Count: @unchecked Sendable {
    var value = 0
  }

  actor Counter {
    var value = 0
    func add() { value += 1 }
  }

  @Test func lock() throws {
    try explore {
      let count = Count()
      let lock = NSLock()
      onTwoThreads { lock.withLock { count.value += 1 } }
      #expect(count.value == 2)
    }
  }

  @Test func condition() throws {
    try explore {
      let count = Count()
      let condition = NSCondition()
      Thread.detachNewThread {
        condition.lock()
        count.value += 1
        condition.signal()
        condition.unlock()
      }
      condition.lock()
      while count.value == 0 { condition.wait() }
      count.value += 1
      condition.unlock()
    }
  }

  @Test func serialQueue() throws {
    try explore {
      let count = Count()
      let queue = DispatchQueue(label: "counts")
      for _ in 0..<2 { queue.async { count.value += 1 } }
      queue.sync { count.value += 1 }
      #expect(count.value == 3)
    }
  }

  @Test func barrier() throws {
    try explore {
      let count = Count()
      let queue = DispatchQueue(label: "counts", attributes: .concurrent)
      queue.async(flags: .barrier) { count.value += 1 }
      queue.async { _ = count.value }
      queue.sync(flags: .barrier) { count.value += 1 }
    }
  }

  @Test func group() throws {
    try explore {
      let counts = [Count(), Count()]
      let group = DispatchGroup()
      for count in counts { DispatchQueue.global().async(group: group) { count.value += 1 } }
      group.wait()
      #expect(counts.map(\.value) == [1, 1])
    }
  }

  @Test func semaphore() throws {
    try explore {
      let count = Count()
      let free = DispatchSemaphore(value: 1)
      onTwoThreads {
        free.wait()
        count.value += 1
        free.signal()
      }
    }
  }

  @Test func iterations() throws {
    try explore {
      let counts = [Count(), Count()]
      DispatchQueue.concurrentPerform(iterations: 2) { counts[$0].value += 1 }
      #expect(counts.map(\.value) == [1, 1])
    }
  }

  @Test func operations() throws {
    try explore {
      let count = Count()
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      for _ in 0..<2 { queue.addOperation { count.value += 1 } }
      queue.waitUntilAllOperationsAreFinished()
      #expect(count.value == 2)
    }
  }

  @Test func mutex() throws {
    try explore {
      let count = Shared(0)
      onTwoThreads { count.value.withLock { $0 += 1 } }
      #expect(count.value.withLock { $0 } == 2)
    }
  }

  final class Shared: Sendable {
    let value: Mutex<Int>
    init(_ value: Int) { self.value = Mutex(value) }
  }

  @Test func actor() async throws {
    try await explore {
      let counter = Counter()
      async let one: Void = counter.add()
      async let other: Void = counter.add()
      _ = await (one, other)
      #expect(await counter.value == 2)
    }
  }

  @Test func children() async throws {
    try await explore {
      let counts = [Count(), Count()]
      await withTaskGroup(of: Void.self) { group in
        for count in counts { group.addTask { count.value += 1 } }
      }
      #expect(counts.map(\.value) == [1, 1])
    }
  }

  @Test func continuation() async throws {
    try await explore {
      let count = Count()
      await withCheckedContinuation { done in
        Thread.detachNewThread {
          count.value += 1
          done.resume()
        }
      }
      count.value += 1
    }
  }

  @Test func stream() async throws {
    try await explore {
      let count = Count()
      let (stream, source) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        count.value += 1
        source.yield()
        source.finish()
      }
      for await _ in stream { count.value += 1 }
      await task.value
      #expect(count.value == 2)
    }
  }

  @Test func mainActor() async throws {
    try await explore {
      let count = Count()
      async let one: Void = MainActor.run { count.value += 1 }
      async let other: Void = MainActor.run { count.value += 1 }
      _ = await (one, other)
    }
  }

  @Test func inChildren() throws {
    try explore(.isolated) {
      let count = Count()
      let number = Count()
      let shared = Shared(0)
      let lock = NSLock()
      let queue = DispatchQueue(label: "counts")
      onTwoThreads {
        lock.withLock { count.value += 1 }
        shared.value.withLock { $0 += 1 }
        queue.async { number.value += 1 }
      }
      queue.sync { #expect(count.value == 2 && number.value == 2) }
    }
  }

  @Test func tasksInChildren() async throws {
    try await explore(.isolated) {
      let counter = Counter()
      let count = Count()
      let (stream, source) = AsyncStream.makeStream(of: Void.self)
      async let one: Void = counter.add()
      let task = Task {
        count.value += 1
        source.finish()
      }
      for await _ in stream {}
      await task.value
      await one
      count.value += 1
      #expect(await counter.value == 1)
    }
  }

  @Test func sleeps() async throws {
    try await explore {
      let count = Count()
      let task = Task {
        try? await Task.sleep(for: .seconds(1))
        count.value += 1
      }
      await task.value
      count.value += 1
    }
  }
}
