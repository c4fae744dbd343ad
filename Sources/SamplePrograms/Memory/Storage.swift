import Foundation

private protocol Shape: Sendable {
  var area: Int { get set }
}

private struct Square: Shape {
  var side: Int
  var area: Int {
    get { side * side }
    set { side = newValue / max(side, 1) }
  }
}

private struct Cuboid: Shape {
  var sides = (1, 2, 3, 4)
  var area: Int {
    get { sides.0 * sides.1 * sides.2 * sides.3 }
    set { sides.0 = newValue }
  }
}

private final class Drawing: @unchecked Sendable {
  var shape: any Shape = Square(side: 2)
}

private final class Box<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

private final class Numbers: ManagedBuffer<Int, Int> {
  static func made() -> Numbers {
    let made = Numbers.create(minimumCapacity: 4) { _ in 0 }
    made.withUnsafeMutablePointerToElements { $0.initialize(repeating: 0, count: 4) }
    return unsafeDowncast(made, to: Numbers.self)
  }

  func add(at index: Int) {
    withUnsafeMutablePointers { header, elements in
      header.pointee += 1
      elements[index] += 1
    }
  }

  func addToElement(_ index: Int) { withUnsafeMutablePointerToElements { $0[index] += 1 } }
}

/// A value type with storage that its copies share until they change it.
private struct Stack: @unchecked Sendable {
  // Unchecked: a copy changes only storage that no other has.
  private final class Storage {
    var numbers: [Int]
    init(_ numbers: [Int]) { self.numbers = numbers }
  }

  private var storage = Storage([1, 2, 3])

  var count: Int { storage.numbers.count }

  mutating func push(_ number: Int) {
    if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.numbers) }
    storage.numbers.append(number)
  }
}

/// Existential and generic storage, managed buffers, and copy-on-write.
let storagePairs: [MemoryPair] = [
  MemoryPair(
    "existential-replaced", "a thread replaces an existential that another reads",
    order: "a lock guards it",
    racy: {
      let drawing = Drawing()
      onTwoThreads {
        use(drawing.shape.area)
      } then: {
        drawing.shape = Cuboid()
      }
    },
    ordered: {
      let drawing = Drawing()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { use(drawing.shape.area) }
      } then: {
        lock.withLock { drawing.shape = Cuboid() }
      }
    }),
  MemoryPair(
    "existential-mutated", "two threads change a property of an existential in place",
    order: "a lock guards it",
    racy: {
      let drawing = Drawing()
      onTwoThreads { drawing.shape.area += 5 }
    },
    ordered: {
      let drawing = Drawing()
      let lock = NSLock()
      onTwoThreads { lock.withLock { drawing.shape.area += 5 } }
    }),
  MemoryPair(
    "generic-storage", "two threads increment the value of a generic class",
    order: "a lock guards it",
    racy: {
      let box = Box(1)
      onTwoThreads { box.value += 1 }
    },
    ordered: {
      let box = Box(1)
      let lock = NSLock()
      onTwoThreads { lock.withLock { box.value += 1 } }
    }),
  MemoryPair(
    "generic-array", "two threads append to the array of a generic class",
    order: "a serial queue guards it",
    racy: {
      let box = Box([1])
      onTwoThreads { box.value.append(2) }
    },
    ordered: {
      let box = Box([1])
      let queue = DispatchQueue(label: "box")
      onTwoThreads { queue.sync { box.value.append(2) } }
    }),
  MemoryPair(
    "managed-buffer", "two threads change the header of a managed buffer",
    order: "each changes an element of its own",
    racy: {
      let numbers = Unguarded(it: Numbers.made())
      onTwoThreads {
        numbers.it.add(at: 0)
      } then: {
        numbers.it.add(at: 1)
      }
    },
    ordered: {
      let numbers = Unguarded(it: Numbers.made())
      onThreads(4) { numbers.it.addToElement($0) }
    }),
  MemoryPair(correct: "copy-on-write", "threads push on copies of a stack that share storage") {
    let shared = Stack()
    onThreads(4) { index in
      var copy = shared
      for _ in 0..<10 { copy.push(index) }
      use(copy.count + shared.count)
    }
  },
]
