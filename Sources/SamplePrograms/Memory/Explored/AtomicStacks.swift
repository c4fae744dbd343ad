import Programs
import Synchronization

/// A stack of nodes, which are numbers from 1, as Treiber's: the lower half of `head` is the first
/// node; the upper half counts changes in the programs that use it.
private final class Stack: Sendable {
  let head = Atomic(0)
  private let afterFirst = Atomic(0)
  private let afterSecond = Atomic(0)
  private let afterThird = Atomic(0)
  private let owners = Atomic(0)
  private let conflicts = Atomic(0)

  /// Fills the stack with all nodes, the first on top.
  init() {
    setNext(1, 2)
    setNext(2, 3)
    head.store(1, ordering: .relaxed)
  }

  func next(_ node: Int) -> Int {
    switch node {
    case 1: afterFirst.load(ordering: .relaxed)
    case 2: afterSecond.load(ordering: .relaxed)
    default: afterThird.load(ordering: .relaxed)
    }
  }

  func setNext(_ node: Int, _ value: Int) {
    switch node {
    case 1: afterFirst.store(value, ordering: .relaxed)
    case 2: afterSecond.store(value, ordering: .relaxed)
    default: afterThird.store(value, ordering: .relaxed)
    }
  }

  /// The thread owns a node that it has taken, until it gives the node back.
  func own(_ node: Int) {
    let before = owners.bitwiseOr(1 << node, ordering: .relaxed).oldValue
    if before & 1 << node != 0 { conflicts.add(1, ordering: .relaxed) }
  }
  func disown(_ node: Int) { owners.bitwiseAnd(~(1 << node), ordering: .relaxed) }

  func check() throws {
    let found = conflicts.load(ordering: .relaxed)
    try expect(found == 0, "two threads own a node")
  }
}

/// Replaces the head if its whole word is still `seen`; returns whether it was.
private func replace(_ stack: Stack, _ seen: Int, _ new: Int) -> Bool {
  stack.head.compareExchange(
    expected: seen, desired: new, successOrdering: .acquiringAndReleasing,
    failureOrdering: .relaxed
  ).exchanged
}

private let tag = 1 << 32
private func node(_ head: Int) -> Int { head & (tag - 1) }
private func retagged(_ node: Int, after head: Int) -> Int {
  head - (head & (tag - 1)) + tag + node
}

/// Stacks and lists whose nodes are reused.
let atomicStackPrograms: [Program] = [
  Program(
    "treiber-aba", "a node returns to a stack while another thread takes it by its old next node",
    .failsInSomeOrder(.violation), twin: "the head counts its changes"
  ) {
    let stack = Stack()
    let pop: @Sendable () -> Int = {
      while true {
        let first = stack.head.load(ordering: .acquiring)
        if first == 0 { return 0 }
        if replace(stack, first, stack.next(first)) {
          stack.own(first)
          return first
        }
      }
    }
    together(
      { _ = pop() },
      {
        let first = pop()
        _ = pop()
        if first == 0 { return }
        stack.disown(first)
        let head = stack.head.load(ordering: .acquiring)
        stack.setNext(first, head)
        _ = replace(stack, head, first)
      })
    _ = pop()
    try stack.check()
  } right: {
    let stack = Stack()
    let pop: @Sendable () -> Int = {
      while true {
        let head = stack.head.load(ordering: .acquiring)
        let first = node(head)
        if first == 0 { return 0 }
        if replace(stack, head, retagged(stack.next(first), after: head)) {
          stack.own(first)
          return first
        }
      }
    }
    together(
      { _ = pop() },
      {
        let first = pop()
        _ = pop()
        if first == 0 { return }
        stack.disown(first)
        let head = stack.head.load(ordering: .acquiring)
        stack.setNext(first, node(head))
        _ = replace(stack, head, retagged(first, after: head))
      })
    _ = pop()
    try stack.check()
  },

  Program(
    "treiber-push-without-check", "a node is pushed by a store of the head",
    .failsInSomeOrder(.violation), twin: "a compare-exchange pushes it"
  ) {
    let stack = Stack()
    let push: @Sendable (Int) -> Void = { node in
      stack.setNext(node, stack.head.load(ordering: .relaxed))
      stack.head.store(node, ordering: .releasing)
    }
    stack.head.store(0, ordering: .relaxed)
    together({ push(1) }, { push(2) })
    let first = stack.head.load(ordering: .acquiring)
    try expect(stack.next(first) != 0, "a node is lost")
  } right: {
    let stack = Stack()
    let push: @Sendable (Int) -> Void = { node in
      while true {
        let head = stack.head.load(ordering: .relaxed)
        stack.setNext(node, head)
        if replace(stack, head, node) { return }
      }
    }
    stack.head.store(0, ordering: .relaxed)
    together({ push(1) }, { push(2) })
    let first = stack.head.load(ordering: .acquiring)
    try expect(stack.next(first) != 0, "a node is lost")
  },
]
