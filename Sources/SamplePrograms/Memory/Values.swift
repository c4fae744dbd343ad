import Foundation

/// Values that are read and replaced, or changed in place, in a property of a class.
let valuePairs: [MemoryPair] = [
  MemoryPair(
    "property-written", "two threads set a property of an object", order: "a lock guards it",
    racy: {
      let counter = Counter()
      onTwoThreads { counter.value = 1 }
    },
    ordered: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads { lock.withLock { counter.value = 1 } }
    }),
  MemoryPair(
    "property-incremented", "two threads increment a property in a method",
    order: "a lock guards the method",
    racy: {
      let counter = Counter()
      onTwoThreads { counter.add(1) }
    },
    ordered: {
      let counter = Counter()
      let lock = NSLock()
      onTwoThreads { lock.withLock { counter.add(1) } }
    }),
  MemoryPair(
    "property-read", "a thread reads a property that another sets", order: "both only read it",
    racy: {
      let counter = Counter()
      onTwoThreads {
        counter.value = 1
      } then: {
        use(counter.value)
      }
    },
    ordered: {
      let counter = Counter()
      counter.value = 1
      onTwoThreads { use(counter.value) }
    }),
  MemoryPair(
    "struct-and-field", "a thread replaces a struct of which another reads a field",
    order: "a lock guards the struct",
    racy: {
      let shelf = Shelf()
      onTwoThreads {
        shelf.point = Point(x: 3, y: 4)
      } then: {
        use(shelf.point.y)
      }
    },
    ordered: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { shelf.point = Point(x: 3, y: 4) }
      } then: {
        lock.withLock { use(shelf.point.y) }
      }
    }),
  MemoryPair(
    "tuple-element", "a thread sets an element of a tuple that another reads whole",
    order: "the second thread starts after it",
    racy: {
      let shelf = Shelf()
      onTwoThreads {
        shelf.pair.second = 5
      } then: {
        use(shelf.pair)
      }
    },
    ordered: {
      let shelf = Shelf()
      Joined { shelf.pair.second = 5 }.join()
      Joined { use(shelf.pair) }.join()
    }),
  MemoryPair(
    "optional-cleared", "a thread clears an optional that another has checked",
    order: "a lock guards the check and the use",
    racy: {
      let shelf = Shelf()
      shelf.found = 1
      onTwoThreads {
        if let found = shelf.found { use(found) }
      } then: {
        shelf.found = nil
      }
    },
    ordered: {
      let shelf = Shelf()
      let lock = NSLock()
      shelf.found = 1
      onTwoThreads {
        lock.withLock { if let found = shelf.found { use(found) } }
      } then: {
        lock.withLock { shelf.found = nil }
      }
    }),
  MemoryPair(
    "enum-replaced", "a thread replaces an enumeration's case that another switches over",
    order: "a lock guards it",
    racy: {
      let shelf = Shelf()
      onTwoThreads {
        shelf.state = .loading(1)
      } then: {
        useState(of: shelf)
      }
    },
    ordered: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { shelf.state = .loading(1) }
      } then: {
        lock.withLock { useState(of: shelf) }
      }
    }),
  MemoryPair(
    correct: "fields-of-each-thread", "each thread sets a property of its own of one object"
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
