import Foundation
import Programs

private final class Node: @unchecked Sendable {
  var value: Int
  init(_ value: Int) { self.value = value }
}

private class Base: @unchecked Sendable {
  var name = 1
  func rename() { name += 1 }
}

private final class Derived: Base, @unchecked Sendable {
  var size = 1
  override func rename() {
    super.rename()
    size += 1
  }
}

private final class Owner: @unchecked Sendable {
  var node = Node(1)
  lazy var made = Node(2)
  var handler: (@Sendable () -> Int)?
  var observed = 0 { didSet { changes += 1 } }
  var changes = 0
  weak var delegate: Node?
  var doubled: Int {
    get { node.value * 2 }
    set { node.value = newValue / 2 }
  }
}

private final class Ended: @unchecked Sendable {
  var first = 0, second = 0
  deinit { use(first + second) }
}

/// Properties of classes: references, lazy and observed properties, and the end of an object.
let classPrograms: [Program] = [
  Program(
    "reference-replaced", "a thread replaces an object that another reads through", .races,
    twin: "a lock guards the reference",
    wrong: {
      let owner = Owner()
      onTwoThreads {
        use(owner.node.value)
      } then: {
        owner.node = Node(3)
      }
    },
    right: {
      let owner = Owner()
      let lock = NSLock()
      onTwoThreads {
        lock.withLock { use(owner.node.value) }
      } then: {
        lock.withLock { owner.node = Node(3) }
      }
    }),
  Program(
    "inherited-property", "two threads change an inherited property through an override", .races,
    twin: "a recursive lock guards the method",
    wrong: {
      let object: Base = Derived()
      onTwoThreads { object.rename() }
    },
    right: {
      let object: Base = Derived()
      let lock = NSRecursiveLock()
      onTwoThreads { lock.withLock { lock.withLock { object.rename() } } }
    }),
  Program(
    "lazy-property", "two threads make a lazy property", .races,
    twin: "it is made before they start",
    wrong: {
      let owner = Owner()
      onTwoThreads { use(owner.made.value) }
    },
    right: {
      let owner = Owner()
      use(owner.made)
      onTwoThreads { use(owner.made.value) }
    }),
  Program(
    "observed-property", "two threads set a property whose observer counts", .races,
    twin: "a lock guards both",
    wrong: {
      let owner = Owner()
      onTwoThreads { owner.observed = 1 }
    },
    right: {
      let owner = Owner()
      let lock = NSLock()
      onTwoThreads { lock.withLock { owner.observed = 1 } }
    }),
  Program(
    "computed-property", "two threads change what a computed property stands for", .races,
    twin: "a lock guards it",
    wrong: {
      let owner = Owner()
      onTwoThreads { owner.doubled += 2 }
    },
    right: {
      let owner = Owner()
      let lock = NSLock()
      onTwoThreads { lock.withLock { owner.doubled += 2 } }
    }),
  Program(
    "handler-replaced", "a thread replaces a closure that another calls", .races,
    twin: "the closure is set before the threads start",
    wrong: {
      let owner = Owner()
      owner.handler = { 1 }
      onTwoThreads {
        use(owner.handler?())
      } then: {
        owner.handler = { 2 }
      }
    },
    right: {
      let owner = Owner()
      owner.handler = { 1 }
      onTwoThreads { use(owner.handler?()) }
    }),
  Program(
    "weak-reference-read", "a thread reads a weak reference while the object ends", .passes
  ) {
    let owner = Owner()
    nonisolated(unsafe) var node: Node? = Node(1)
    owner.delegate = node
    let thread = Joined { for _ in 0..<100 { use(owner.delegate?.value) } }
    node = nil
    thread.join()
  },
  Program(
    "deinit-reads-both", "two threads set a field each, and the last release reads both", .passes
  ) {
    for _ in 0..<20 {
      nonisolated(unsafe) var object: Ended? = Ended()
      guard let first = object, let second = object else { return }
      let one = Joined { first.first = 1 }
      let other = Joined { second.second = 2 }
      object = nil
      one.join()
      other.join()
    }
  },
  Program(
    "last-release-frees", "threads read an object, and whichever releases last frees it", .passes
  ) {
    for _ in 0..<20 {
      onThreads(3) { [node = Node(1)] _ in use(node.value) }
    }
  },
]
