import Foundation
import Testing

import Caches
@testable import KnownBugs

@Suite("Observers of a HybridStorageCache", .timeLimit(.minutes(10)))
struct HybridObserverTests {
  @Test(
    "Hybrid cache observers are called for each change, in order", arguments: HybridLocking.allCases
  )
  func storageChanges(_ locking: HybridLocking) throws {
    let folder = try HybridFolder()
    let cache = try HybridStorageCache(directory: folder.url, locking: locking)
    let log = OperationLog<HybridStorageChange>()
    cache.addStorageObserver { log.note($0) }
    try cache.setObject([1], forKey: "a")
    try cache.removeInMemoryObject(forKey: "a")
    try cache.removeObject(forKey: "a")
    try? cache.removeObject(forKey: "a")
    try cache.removeExpiredObjects()
    try cache.removeAll()
    #expect(
      log.notes == [
        .add(key: "a"), .removeInMemory(key: "a"), .remove(key: "a"), .removeExpired, .removeAll,
      ])
  }

  @Test(
    "Hybrid cache observers with a key are called for that key alone",
    arguments: HybridLocking.allCases)
  func keyChanges(_ locking: HybridLocking) throws {
    let folder = try HybridFolder()
    let cache = try HybridStorageCache(directory: folder.url, locking: locking)
    let log = OperationLog<String>()
    cache.addObserver(forKey: "a") { change in
      switch change {
      case .edit(let before, let after): log.note("\(before ?? []) \(after)")
      case .remove: log.note("removed")
      }
    }
    try cache.setObject([1], forKey: "a")
    try cache.setObject([2], forKey: "a", expiry: .seconds(-1))
    try cache.setObject([3], forKey: "b")
    try cache.removeObject(forKey: "b")
    try cache.removeExpiredObjects()
    try cache.setObject([4], forKey: "a")
    try cache.removeAll()
    #expect(log.notes == ["[] [1]", "[1] [2]", "removed", "[] [4]", "removed"])
  }

  @Test("Hybrid cache observers are not called after a cancel", arguments: HybridLocking.allCases)
  func cancelling(_ locking: HybridLocking) throws {
    let folder = try HybridFolder()
    let cache = try HybridStorageCache(directory: folder.url, locking: locking)
    let log = OperationLog<Int>()
    let first = cache.addStorageObserver { _ in log.note(1) }
    cache.addStorageObserver { _ in log.note(2) }
    let third = cache.addObserver(forKey: "a") { _ in log.note(3) }
    first.cancel()
    third.cancel()
    try cache.setObject([1], forKey: "a")
    cache.removeAllStorageObservers()
    cache.addObserver(forKey: "a") { _ in log.note(4) }
    cache.removeAllKeyObservers()
    try cache.setObject([1], forKey: "a")
    #expect(log.notes == [2])
  }

  @Test(
    "Hybrid cache observers are replaced by key; the old token ends the new one only as shipped"
  )
  func replacing() throws {
    for (locking, expected) in [(.twoQueues, []), (.lock, [2])] as [(HybridLocking, [Int])] {
      let folder = try HybridFolder()
      let cache = try HybridStorageCache(directory: folder.url, locking: locking)
      let log = OperationLog<Int>()
      let old = cache.addObserver(forKey: "a") { _ in log.note(1) }
      cache.addObserver(forKey: "a") { _ in log.note(2) }
      old.cancel()
      try cache.setObject([1], forKey: "a")
      #expect(log.notes == expected)
    }
  }

  @Test("Hybrid cache observers may end their own observation and read the storage, when repaired")
  func reentrant() throws {
    let folder = try HybridFolder()
    let cache = try HybridStorageCache(directory: folder.url, locking: .lock)
    let log = OperationLog<[UInt8]?>()
    let observation = OperationLog<HybridObservation>()
    observation.note(
      cache.addStorageObserver { _ in
        log.note(cache.value(forKey: "a"))
        observation.notes.first?.cancel()
      })
    try cache.setObject([1], forKey: "a")
    try cache.setObject([2], forKey: "a")
    #expect(log.notes == [[1]])
  }

  @Test("Hybrid cache observers delay a cancel until their call ends, when repaired")
  func cancelWaits() async throws {
    let folder = try HybridFolder()
    let cache = try HybridStorageCache(directory: folder.url, locking: .lock)
    let (inside, door) = (Door(), Door())
    let log = OperationLog<String>()
    let observation = cache.addStorageObserver { _ in
      inside.open()
      door.pass()
      log.note("called")
    }
    await onThreads(2) { number in
      if number == 0 {
        cache.setValue([1], forKey: "a", cost: 1)
      } else {
        inside.pass()
        door.open()
        observation.cancel()
        log.note("cancelled")
      }
    }
    #expect(log.notes == ["called", "cancelled"])
  }
}
