import Foundation
import Programs

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
let guardPrograms: [Program] = [
  Program(
    "checked-twice", "an instance is checked without the lock, and again with it", .races,
    twin: "it is checked under the lock alone",
    wrong: { onTwoThreads { use(Service.checkedTwice().limit) } },
    right: { onTwoThreads { use(Service.checkedUnderLock().limit) } }),
  Program(
    "check-then-act", "a thread checks a limit without the lock under which it is lowered", .races,
    twin: "check and act are under one lock",
    wrong: {
      let service = Service()
      let lock = NSLock()
      onTwoThreads { if service.limit > 0 { lock.withLock { service.limit -= 1 } } }
    },
    right: {
      let service = Service()
      let lock = NSLock()
      onTwoThreads { lock.withLock { if service.limit > 0 { service.limit -= 1 } } }
    }),
  Program(
    "unmarked-published-before-filled", "an object is published before its field is set", .races,
    twin: "the field is set first",
    wrong: {
      let shelf = Shelf()
      let place = Place()
      onTwoThreads {
        place.put(shelf)
        shelf.found = 1
      } then: {
        use(place.take()?.found)
      }
    },
    right: {
      let shelf = Shelf()
      let place = Place()
      onTwoThreads {
        shelf.found = 1
        place.put(shelf)
      } then: {
        use(place.take()?.found)
      }
    }),
  Program(
    "unmarked-closed-while-used", "a thread closes what another uses after its check", .races,
    twin: "both hold the lock meanwhile",
    wrong: {
      let service = Service()
      onTwoThreads {
        if service.isOpen { use(service.limit) }
      } then: {
        service.isOpen = false
      }
    },
    right: {
      let service = Service()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { if service.isOpen { use(service.limit) } }
      } then: {
        lock.withLock { service.isOpen = false }
      }
    }),
  Program("made-once", "two threads use a shared instance that a 'static let' makes", .passes) {
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
