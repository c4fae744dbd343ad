import Caches
import KnownBugs
import Dispatch
import Foundation
import Testing

/// The faults that need one thread. Scenarios show those that need two.
@Suite("The faults of hyperoslo's Cache and its sibling", .timeLimit(.minutes(10)))
struct HybridFaultTests {
  // The test process owns the directory and removes it, because the process of an exit test ends by
  // a trap. An error must not pass as the trap.

  /// Reads by the synchronous call in the completion of an asynchronous one.
  private static func readInCompletion(_ locking: HybridLocking, _ path: String) throws {
    let cache = try HybridStorageCache(directory: URL(fileURLWithPath: path), locking: locking)
    let done = DispatchSemaphore(value: 0)
    cache.setObject([1], forKey: "a") { _ in
      precondition(cache.value(forKey: "a") == [1])
      done.signal()
    }
    done.wait()
  }

  @Test("a synchronous call in an asynchronous completion traps on one queue alone")
  func oneQueue() async throws {
    let folder = try HybridFolder()
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      try Self.readInCompletion(.twoQueues, path)
    }
    await #expect(processExitsWith: .failure) { [path = path as String] in
      try? Self.readInCompletion(.oneQueue, path)
    }
    await #expect(processExitsWith: .success) { [path = path as String] in
      try Self.readInCompletion(.lock, path)
    }
  }

  /// Reads in an observer.
  private static func readInObserver(_ locking: HybridLocking, _ path: String) throws {
    let cache = try HybridStorageCache(directory: URL(fileURLWithPath: path), locking: locking)
    cache.addStorageObserver { _ in precondition(cache.value(forKey: "a") == [1]) }
    cache.setValue([1], forKey: "a", cost: 1)
  }

  @Test("an observer that reads traps on any queue, and not outside the lock")
  func observer() async throws {
    let folder = try HybridFolder()
    let path = folder.url.path
    await #expect(processExitsWith: .failure) { [path = path as String] in
      try? Self.readInObserver(.twoQueues, path)
    }
    await #expect(processExitsWith: .failure) { [path = path as String] in
      try? Self.readInObserver(.oneQueue, path)
    }
    await #expect(processExitsWith: .success) { [path = path as String] in
      try Self.readInObserver(.lock, path)
    }
  }

  /// Removes expired objects with empty memory; returns how many files are left.
  @discardableResult
  private static func cleanUp(_ version: AwesomeCache.Version, _ path: String) throws -> Int {
    let cache = try AwesomeCache(directory: URL(fileURLWithPath: path), version: version)
    cache.setObject([1], forKey: "old", expiry: .seconds(-1))
    cache.setObject([2], forKey: "new")
    cache.settle()
    cache.removeAllInMemory()
    cache.removeExpiredObjects()
    cache.settle()
    precondition(cache.object(forKey: "new") == [2])
    return cache.count
  }

  @Test("AwesomeCache traps when its clean-up reads a key that is not in memory")
  func nestedCleanUp() async throws {
    let folder = try HybridFolder()
    let path = folder.url.path
    await #expect(processExitsWith: .failure) { [path = path as String] in
      _ = try? Self.cleanUp(.serialQueue, path)
    }
    await #expect(processExitsWith: .failure) { [path = path as String] in
      _ = try? Self.cleanUp(.barrierQueue, path)
    }
    #expect(try Self.cleanUp(.repaired, path) == 1)
  }

  @Test("an asynchronous call on a freed cache completes with an error")
  func deallocated() async throws {
    let folder = try HybridFolder()
    let error: (any Error)? = await withCheckedContinuation { continuation in
      let inside = DispatchSemaphore(value: 0)
      var cache: HybridStorageCache? = try? HybridStorageCache(directory: folder.url)
      cache?.object(forKey: "none") { _ in inside.wait() }
      cache?.setObject([1], forKey: "a") { result in
        if case .failure(let error) = result {
          continuation.resume(returning: error)
        } else {
          continuation.resume(returning: nil)
        }
      }
      cache = nil
      inside.signal()
    }
    #expect(error as? HybridStorageError == .deallocated)
  }
}

/// The behaviour of version 1.0.0 apart from its faults.
@Suite("A BasicHybridCache", .timeLimit(.minutes(10)))
struct BasicHybridCacheTests {
  @Test(
    "A BasicHybridCache removes an expired object after returning it once",
    arguments: [false, true])
  func expiry(repaired: Bool) async throws {
    let folder = try HybridFolder()
    await onThread {
      let cache = BasicHybridCache(directory: folder.url, repaired: repaired)
      waitFor { cache.add([1], forKey: "a", expiry: .seconds(-1), completion: $0) }
      #expect(cache.value(forKey: "a") == [1])
      cache.settle()
      #expect(cache.count == 0)
      // The file still exists and is read, but not stored in memory.
      #expect(cache.value(forKey: "a") == [1])
      #expect(cache.count == 0)
      waitFor { cache.clearExpired(completion: $0) }
      #expect(cache.value(forKey: "a") == nil)
    }
  }

  @Test("A BasicHybridCache removes the files that expire last when all are too large")
  func maximumSize() async throws {
    let folder = try HybridFolder()
    await onThread {
      let cache = BasicHybridCache(directory: folder.url, maximumSize: 3000)
      for number in 0..<5 {
        waitFor {
          cache.add(
            [UInt8](repeating: 0, count: 992), forKey: "\(number)",
            expiry: .seconds(Double(100 + number)), completion: $0)
        }
      }
      waitFor { cache.clearExpired(completion: $0) }
      let keys = cache.keys(known: ["0", "1", "2", "3", "4"])
      #expect(keys.inMemory.count == 5)
      #expect(keys.onDisk == ["0"])
      waitFor { cache.clear(completion: $0) }
      #expect(folder.names == [])
      #expect(cache.count == 0)
    }
  }

  private func waitFor(_ start: (@escaping @Sendable () -> Void) -> Void) {
    let done = DispatchSemaphore(value: 0)
    start { done.signal() }
    done.wait()
  }
}
