import Foundation
import Programs

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
  // Unchecked: a copy changes only storage that no other copy shares.
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
let storagePrograms: [Program] = [
  Program(
    "existential-replaced", "a thread replaces an existential that another reads", .races,
    twin: "a lock guards it",
    wrong: {
      let drawing = Drawing()
      onTwoThreads {
        use(drawing.shape.area)
      } then: {
        drawing.shape = Cuboid()
      }
    },
    right: {
      let drawing = Drawing()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { use(drawing.shape.area) }
      } then: {
        lock.withLock { drawing.shape = Cuboid() }
      }
    }),
  Program(
    "existential-mutated", "two threads change a property of an existential in place", .races,
    twin: "a lock guards it",
    wrong: {
      let drawing = Drawing()
      onTwoThreads { drawing.shape.area += 5 }
    },
    right: {
      let drawing = Drawing()
      let lock = NSLock()
      onTwoThreads { lock.withLock { drawing.shape.area += 5 } }
    }),
  Program(
    "generic-storage", "two threads increment the value of a generic class", .races,
    twin: "a lock guards it",
    wrong: {
      let box = Box(1)
      onTwoThreads { box.value += 1 }
    },
    right: {
      let box = Box(1)
      let lock = NSLock()
      onTwoThreads { lock.withLock { box.value += 1 } }
    }),
  Program(
    "generic-array", "two threads append to the array of a generic class", .races,
    twin: "a serial queue guards it",
    wrong: {
      let box = Box([1])
      onTwoThreads { box.value.append(2) }
    },
    right: {
      let box = Box([1])
      let queue = DispatchQueue(label: "box")
      onTwoThreads { queue.sync { box.value.append(2) } }
    }),
  Program(
    "managed-buffer", "two threads change the header of a managed buffer", .races,
    twin: "each changes an element of its own",
    wrong: {
      let numbers = Unguarded(it: Numbers.made())
      onTwoThreads {
        numbers.it.add(at: 0)
      } then: {
        numbers.it.add(at: 1)
      }
    },
    right: {
      let numbers = Unguarded(it: Numbers.made())
      onThreads(4) { numbers.it.addToElement($0) }
    }),
  Program("copy-on-write", "threads push on copies of a stack that share storage", .passes) {
    let shared = Stack()
    onThreads(4) { index in
      var copy = shared
      for _ in 0..<10 { copy.push(index) }
      use(copy.count + shared.count)
    }
  },
]
