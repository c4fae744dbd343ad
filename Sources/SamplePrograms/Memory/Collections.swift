import Foundation

/// Collections that are changed in place.
let collectionPairs: [MemoryPair] = [
  MemoryPair(
    "array-appended", "two threads append to an array", order: "a lock guards the array",
    racy: {
      let shelf = Shelf()
      onTwoThreads { shelf.array.append(4) }
    },
    ordered: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads { for number in 0..<20 { lock.withLock { shelf.array.append(number) } } }
    }),
  MemoryPair(
    "array-element-set", "two threads set one element of an array",
    order: "each sets an element of its own, of memory that no one else copies",
    racy: {
      let shelf = Shelf()
      onTwoThreads { shelf.array[1] = 5 }
    },
    ordered: {
      let shelf = Shelf()
      shelf.array.withUnsafeMutableBufferPointer { elements in
        nonisolated(unsafe) let elements = elements
        onThreads(3) { elements[$0] = 5 }
      }
    }),
  MemoryPair(
    "array-cleared", "a thread removes all elements of an array that another counts",
    order: "a lock guards the array",
    racy: {
      let shelf = Shelf()
      onTwoThreads {
        use(shelf.array.count)
      } then: {
        shelf.array.removeAll()
      }
    },
    ordered: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { use(shelf.array.count) }
      } then: {
        lock.withLock { shelf.array.removeAll() }
      }
    }),
  MemoryPair(
    "dictionary-set", "two threads set keys of a dictionary", order: "a lock guards the dictionary",
    racy: {
      let shelf = Shelf()
      onTwoThreads {
        shelf.table["a"] = 2
      } then: {
        shelf.table["b"] = 3
      }
    },
    ordered: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { shelf.table["a"] = 2 }
      } then: {
        lock.withLock { shelf.table["b"] = 3 }
      }
    }),
  MemoryPair(
    "dictionary-value-incremented", "two threads increment a dictionary's value in place",
    order: "a serial queue guards the dictionary",
    racy: {
      let shelf = Shelf()
      onTwoThreads { shelf.table["a", default: 0] += 1 }
    },
    ordered: {
      let shelf = Shelf()
      let queue = DispatchQueue(label: "table")
      onTwoThreads { queue.sync { shelf.table["a", default: 0] += 1 } }
    }),
  MemoryPair(
    "dictionary-looked-up", "a thread looks a key up while another sets one",
    order: "the dictionary is complete before both start",
    racy: {
      let shelf = Shelf()
      onTwoThreads {
        shelf.table["b"] = 3
      } then: {
        use(shelf.table["a"])
      }
    },
    ordered: {
      let shelf = Shelf()
      shelf.table["b"] = 3
      onTwoThreads { use(shelf.table["a"]) }
    }),
  MemoryPair(
    "set-inserted", "a thread inserts into a set that another searches", order: "a lock guards it",
    racy: {
      let shelf = Shelf()
      onTwoThreads {
        shelf.set.insert(2)
      } then: {
        use(shelf.set.contains(1))
      }
    },
    ordered: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { _ = shelf.set.insert(2) }
      } then: {
        lock.withLock { use(shelf.set.contains(1)) }
      }
    }),
  MemoryPair(
    "string-appended", "two threads append to a string", order: "a lock guards the string",
    racy: {
      let shelf = Shelf()
      onTwoThreads { shelf.text += "!" }
    },
    ordered: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads { lock.withLock { shelf.text += "!" } }
    }),
  MemoryPair(
    "strings-appended", "two threads append strings to an array of an object",
    order: "the object is handed from the first thread to the second",
    racy: {
      let shelf = Shelf()
      onTwoThreads { shelf.names.append("b") }
    },
    ordered: {
      let shelf = Shelf()
      Joined {
        shelf.names.append("b")
        Joined { shelf.names.append("c") }.join()
      }.join()
    }),
  MemoryPair(
    correct: "copies-changed", "two threads change copies of one array, whose storage they share"
  ) {
    let shared = Array(repeating: 1, count: 100)
    onTwoThreads {
      var copy = shared
      copy.append(2)
      copy[0] = 3
      use(copy)
    }
    use(shared[0])
  },
  MemoryPair(
    correct: "dictionary-copied", "a thread changes a copy of a dictionary that another reads"
  ) {
    let shared = ["a": 1, "b": 2]
    onTwoThreads {
      use(shared["a"])
    } then: {
      var copy = shared
      copy["c"] = 3
      use(copy)
    }
  },
  MemoryPair(
    correct: "snapshot-under-lock", "a thread copies an array under a lock and reads it without"
  ) {
    let shelf = Shelf()
    let lock = NSLock()
    onTwoThreads {
      for number in 0..<20 { lock.withLock { shelf.array.append(number) } }
    } then: {
      for _ in 0..<20 {
        let copy = lock.withLock { shelf.array }
        use(copy.reduce(0, +))
      }
    }
  },
]
