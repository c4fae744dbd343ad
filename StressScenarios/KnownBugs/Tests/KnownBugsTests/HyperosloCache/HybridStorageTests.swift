import Caches
import Dispatch
@testable import KnownBugs
import Testing

@Suite("A HybridStorageCache", .timeLimit(.minutes(10)))
struct HybridStorageTests {
  @Test("Hybrid cache observers may end their own observation and read the storage, when repaired")
  func reentrant() throws {
    let cache = try HybridStorageCache(directory: newFolder(), locking: .lock)
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
    let cache = try HybridStorageCache(directory: newFolder(), locking: .lock)
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

  @Test("An asynchronous call on a freed hybrid cache completes with an error")
  func deallocated() async {
    let error: (any Error)? = await withCheckedContinuation { continuation in
      let inside = DispatchSemaphore(value: 0)
      var cache: HybridStorageCache? = try? HybridStorageCache(directory: newFolder())
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
