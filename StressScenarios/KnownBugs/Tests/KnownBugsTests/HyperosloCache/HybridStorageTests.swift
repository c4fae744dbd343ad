import Caches
import Dispatch
import Testing

@testable import KnownBugs

@Suite("A HybridStorageCache", .timeLimit(.minutes(10)))
struct HybridStorageTests {
  @Test("Hybrid cache observers may end their own observation and read the storage, when repaired")
  func reentrant() {
    let cache = HybridStorageCache(directory: newFolder(), locking: .lock)
    let log = OperationLog<[UInt8]?>()
    let observation = OperationLog<HybridObservation>()
    observation.note(
      cache.addStorageObserver {
        log.note(cache.value(forKey: "a"))
        observation.notes.first?.cancel()
      })
    cache.setValue([1], forKey: "a", cost: 1)
    cache.setValue([2], forKey: "a", cost: 1)
    #expect(log.notes == [[1]])
  }

  @Test("Hybrid cache observers delay a cancel until their call ends, when repaired")
  func cancelWaits() async {
    let cache = HybridStorageCache(directory: newFolder(), locking: .lock)
    let (inside, door) = (Door(), Door())
    let log = OperationLog<String>()
    let observation = cache.addStorageObserver {
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

  @Test("An asynchronous call on a freed hybrid cache completes, and stores nothing")
  func deallocated() async {
    let folder = newFolder()
    await withCheckedContinuation { continuation in
      let inside = DispatchSemaphore(value: 0)
      var cache: HybridStorageCache? = HybridStorageCache(directory: folder)
      cache?.value(forKey: "none") { _ in inside.wait() }
      cache?.setValue([1], forKey: "a", cost: 1) { continuation.resume() }
      cache = nil
      inside.signal()
    }
    #expect(HybridStorageCache(directory: folder).value(forKey: "a") == nil)
  }
}
