import Foundation
import Programs

/// Collections that are changed in place.
let collectionPrograms: [Program] = [
  Program(
    "array-appended", "two threads append to an array", .races, twin: "a lock guards the array",
    wrong: {
      let shelf = Shelf()
      onTwoThreads { shelf.array.append(4) }
    },
    right: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads { for number in 0..<20 { lock.withLock { shelf.array.append(number) } } }
    }),
  Program(
    "array-element-set", "two threads set one element of an array", .races,
    twin: "each sets an element of its own, of memory that no one else copies",
    wrong: {
      let shelf = Shelf()
      onTwoThreads { shelf.array[1] = 5 }
    },
    right: {
      let shelf = Shelf()
      shelf.array.withUnsafeMutableBufferPointer { elements in
        nonisolated(unsafe) let elements = elements
        onThreads(3) { elements[$0] = 5 }
      }
    }),
  Program(
    "array-cleared", "a thread removes all elements of an array that another counts", .races,
    twin: "a lock guards the array",
    wrong: {
      let shelf = Shelf()
      onTwoThreads {
        use(shelf.array.count)
      } then: {
        shelf.array.removeAll()
      }
    },
    right: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { use(shelf.array.count) }
      } then: {
        lock.withLock { shelf.array.removeAll() }
      }
    }),
  Program(
    "dictionary-set", "two threads set keys of a dictionary", .races,
    twin: "a lock guards the dictionary",
    wrong: {
      let shelf = Shelf()
      onTwoThreads {
        shelf.table["a"] = 2
      } then: {
        shelf.table["b"] = 3
      }
    },
    right: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { shelf.table["a"] = 2 }
      } then: {
        lock.withLock { shelf.table["b"] = 3 }
      }
    }),
  Program(
    "dictionary-value-incremented", "two threads increment a dictionary's value in place", .races,
    twin: "a serial queue guards the dictionary",
    wrong: {
      let shelf = Shelf()
      onTwoThreads { shelf.table["a", default: 0] += 1 }
    },
    right: {
      let shelf = Shelf()
      let queue = DispatchQueue(label: "table")
      onTwoThreads { queue.sync { shelf.table["a", default: 0] += 1 } }
    }),
  Program(
    "dictionary-looked-up", "a thread looks a key up while another sets one", .races,
    twin: "the dictionary is complete before both start",
    wrong: {
      let shelf = Shelf()
      onTwoThreads {
        shelf.table["b"] = 3
      } then: {
        use(shelf.table["a"])
      }
    },
    right: {
      let shelf = Shelf()
      shelf.table["b"] = 3
      onTwoThreads { use(shelf.table["a"]) }
    }),
  Program(
    "set-inserted", "a thread inserts into a set that another searches", .races,
    twin: "a lock guards it",
    wrong: {
      let shelf = Shelf()
      onTwoThreads {
        shelf.set.insert(2)
      } then: {
        use(shelf.set.contains(1))
      }
    },
    right: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { _ = shelf.set.insert(2) }
      } then: {
        lock.withLock { use(shelf.set.contains(1)) }
      }
    }),
  Program(
    "string-appended", "two threads append to a string", .races, twin: "a lock guards the string",
    wrong: {
      let shelf = Shelf()
      onTwoThreads { shelf.text += "!" }
    },
    right: {
      let shelf = Shelf()
      let lock = NSLock()
      onTwoThreads { lock.withLock { shelf.text += "!" } }
    }),
  Program(
    "strings-appended", "two threads append strings to an array of an object", .races,
    twin: "the object is handed from the first thread to the second",
    wrong: {
      let shelf = Shelf()
      onTwoThreads { shelf.names.append("b") }
    },
    right: {
      let shelf = Shelf()
      Joined {
        shelf.names.append("b")
        Joined { shelf.names.append("c") }.join()
      }.join()
    }),
  Program(
    "copies-changed", "two threads change copies of one array, whose storage they share", .passes
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
  Program(
    "dictionary-copied", "a thread changes a copy of a dictionary that another reads", .passes
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
  Program(
    "snapshot-under-lock", "a thread copies an array under a lock and reads it without", .passes
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
