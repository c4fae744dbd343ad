import Foundation
import Programs

/// Values that are read and replaced, or changed in place, in a property of a class.
let valuePrograms: [Program] = [
  Program(
    "property-written", "two threads set a property of an object", .races, twin: "a lock guards it",
    wrong: {
      let counter = Counter()
      onTwoThreads { counter.value = 1 }
    },
    right: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads { lock.withLock { counter.value = 1 } }
    }),
  Program(
    "property-incremented", "two threads increment a property in a method", .races,
    twin: "a lock guards the method",
    wrong: {
      let counter = Counter()
      onTwoThreads { counter.add(1) }
    },
    right: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads { lock.withLock { counter.add(1) } }
    }),
  Program(
    "property-read", "a thread reads a property that another sets", .races,
    twin: "both only read it",
    wrong: {
      let counter = Counter()
      onTwoThreads {
        counter.value = 1
      } then: {
        use(counter.value)
      }
    },
    right: {
      let counter = Counter()
      counter.value = 1
      onTwoThreads { use(counter.value) }
    }),
  Program(
    "struct-and-field", "a thread replaces a struct of which another reads a field", .races,
    twin: "a lock guards the struct",
    wrong: {
      let shelf = Shelf()
      onTwoThreads {
        shelf.point = Point(x: 3, y: 4)
      } then: {
        use(shelf.point.y)
      }
    },
    right: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { shelf.point = Point(x: 3, y: 4) }
      } then: {
        lock.withLock { use(shelf.point.y) }
      }
    }),
  Program(
    "tuple-element", "a thread sets an element of a tuple that another reads whole", .races,
    twin: "the second thread starts after it",
    wrong: {
      let shelf = Shelf()
      onTwoThreads {
        shelf.pair.second = 5
      } then: {
        use(shelf.pair)
      }
    },
    right: {
      let shelf = Shelf()
      Joined { shelf.pair.second = 5 }.join()
      Joined { use(shelf.pair) }.join()
    }),
  Program(
    "optional-cleared", "a thread clears an optional that another has checked", .races,
    twin: "a lock guards the check and the use",
    wrong: {
      let shelf = Shelf()
      shelf.found = 1
      onTwoThreads {
        if let found = shelf.found { use(found) }
      } then: {
        shelf.found = nil
      }
    },
    right: {
      let shelf = Shelf()
      let lock = NSLock()
      shelf.found = 1
      onTwoThreads {
        lock.withLock { if let found = shelf.found { use(found) } }
      } then: {
        lock.withLock { shelf.found = nil }
      }
    }),
  Program(
    "enum-replaced", "a thread replaces an enumeration's case that another switches over", .races,
    twin: "a lock guards it",
    wrong: {
      let shelf = Shelf()
      onTwoThreads {
        shelf.state = .loading(1)
      } then: {
        useState(of: shelf)
      }
    },
    right: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { shelf.state = .loading(1) }
      } then: {
        lock.withLock { useState(of: shelf) }
      }
    }),
  Program(
    "fields-of-each-thread", "each thread sets a property of its own of one object", .passes
  ) {
    let shelf = Shelf()
    onTwoThreads {
      shelf.found = 1
    } then: {
      shelf.pair = (3, 4)
    }
    use(shelf.found)
  },
]

private func useState(of shelf: Shelf) {
  switch shelf.state {
  case .idle: break
  case .loading(let count): use(count)
  case .loaded(let text): use(text)
  }
}
