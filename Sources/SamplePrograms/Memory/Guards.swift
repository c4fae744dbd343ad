import Foundation

private final class Service: @unchecked Sendable {
  // Unchecked: each program decides what guards the instance.
  static nonisolated(unsafe) var plain: Service?
  static nonisolated(unsafe) var guarded: Service?
  static let lock = NSLock()
  static let once: Service = Service()
  var limit = 10
  var isOpen = true

  static func checkedTwice() -> Service {
    if let plain { return plain }
    return lock.withLock {
      if let plain { return plain }
      let made = Service()
      plain = made
      return made
    }
  }

  static func checkedUnderLock() -> Service {
    lock.withLock {
      if let guarded { return guarded }
      let made = Service()
      guarded = made
      return made
    }
  }
}

/// Checks and the actions that depend on them.
let guardPairs: [MemoryPair] = [
  MemoryPair(
    "checked-twice", "an instance is checked without the lock, and again with it",
    order: "it is checked under the lock alone",
    racy: { onTwoThreads { use(Service.checkedTwice().limit) } },
    ordered: { onTwoThreads { use(Service.checkedUnderLock().limit) } }),
  MemoryPair(
    "check-then-act", "a thread checks a limit without the lock under which it is lowered",
    order: "check and act are under one lock",
    racy: {
      let service = Service()
      let lock = NSLock()
      onTwoThreads { if service.limit > 0 { lock.withLock { service.limit -= 1 } } }
    },
    ordered: {
      let service = Service()
      let lock = NSLock()
      onTwoThreads { lock.withLock { if service.limit > 0 { service.limit -= 1 } } }
    }),
  MemoryPair(
    "unmarked-published-before-filled", "an object is published before its field is set",
    order: "the field is set first",
    racy: {
      let shelf = Shelf()
      let place = Place()
      onTwoThreads {
        place.put(shelf)
        shelf.found = 1
      } then: {
        use(place.take()?.found)
      }
    },
    ordered: {
      let shelf = Shelf()
      let place = Place()
      onTwoThreads {
        shelf.found = 1
        place.put(shelf)
      } then: {
        use(place.take()?.found)
      }
    }),
  MemoryPair(
    "unmarked-closed-while-used", "a thread closes what another uses after its check",
    order: "both hold the lock meanwhile",
    racy: {
      let service = Service()
      onTwoThreads {
        if service.isOpen { use(service.limit) }
      } then: {
        service.isOpen = false
      }
    },
    ordered: {
      let service = Service()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { if service.isOpen { use(service.limit) } }
      } then: {
        lock.withLock { service.isOpen = false }
      }
    }),
  MemoryPair(correct: "made-once", "two threads use a shared instance that a 'static let' makes") {
    onTwoThreads { use(Service.once.limit) }
  },
]

/// A place for an object, under a lock.
private final class Place: @unchecked Sendable {
  // Unchecked: the lock guards the object.
  private let lock = NSLock()
  private var shelf: Shelf?

  func put(_ shelf: Shelf) { lock.withLock { self.shelf = shelf } }
  func take() -> Shelf? { lock.withLock { shelf } }
}
