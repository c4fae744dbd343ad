import Dispatch
import Foundation

/// A concurrent queue of the test's own.
func concurrentQueue(_ label: String) -> DispatchQueue {
  DispatchQueue(label: label, attributes: .concurrent)
}

/// A list of values to which blocks append.
final class Trail: @unchecked Sendable {
  // Unchecked: only the running logical thread accesses it.
  private var values: [String] = []
  /// Present if the order of the values is an outcome: then each append is a step.
  private let lock: NSLock?

  init(under lock: NSLock? = nil) { self.lock = lock }

  func append(_ value: some CustomStringConvertible) {
    lock?.lock()
    values.append(value.description)
    lock?.unlock()
  }
  var text: String { values.joined() }
}

let queueBodies = [
  Body("serial-order") {
    // Two threads submit to one serial queue: either block may come first.
    let queue = DispatchQueue(label: "serial")
    let group = DispatchGroup()
    let trail = Trail()
    for name in ["a", "b"] {
      DispatchQueue.global().async(group: group) {
        queue.async(group: group) { trail.append(name) }
        queue.async(group: group) { trail.append(name.uppercased()) }
      }
    }
    group.wait()
    Outcomes.note(trail.text)
    return true
  },
  Body("serial-from-one-thread") {
    let queue = DispatchQueue(label: "serial")
    let group = DispatchGroup()
    let trail = Trail()
    for number in 0..<4 { queue.async(group: group) { trail.append(number) } }
    queue.sync { trail.append("s") }
    group.wait()
    Outcomes.note(trail.text)
    return trail.text == "0123s"
  },
  Body("concurrent-order") {
    // Two of the three blocks may be with a worker that has not begun, so the third is never first.
    let queue = concurrentQueue("concurrent")
    let group = DispatchGroup()
    let trail = Trail()
    for number in 0..<3 { queue.async(group: group) { trail.append(number) } }
    group.wait()
    Outcomes.note(trail.text)
    return true
  },
  Body("check-then-act") {
    // Each step runs on the queue, but the two steps are not one critical section.
    let queue = DispatchQueue(label: "state")
    let group = DispatchGroup()
    let count = Shared(0)
    for _ in 0..<2 {
      DispatchQueue.global().async(group: group) {
        let old = queue.sync { count.value }
        queue.sync { count.value = old + 1 }
      }
    }
    group.wait()
    return count.value == 2
  },
  Body("check-then-act-repaired") {
    let queue = DispatchQueue(label: "state")
    let group = DispatchGroup()
    let count = Shared(0)
    for _ in 0..<2 {
      DispatchQueue.global().async(group: group) { queue.sync { count.value += 1 } }
    }
    group.wait()
    return count.value == 2
  },
  Body("writes-without-barrier") {
    let queue = concurrentQueue("readers and writers")
    let group = DispatchGroup()
    let lock = NSLock()
    let count = Shared(0)
    for _ in 0..<2 {
      queue.async(group: group) {
        let old = lock.withLock { count.value }
        lock.withLock { count.value = old + 1 }
      }
    }
    return queue.sync(flags: .barrier) { count.value == 2 }
  },
  Body("writes-with-barrier") {
    let queue = concurrentQueue("readers and writers")
    let group = DispatchGroup()
    let lock = NSLock()
    let count = Shared(0)
    let seen = Shared(0)
    for _ in 0..<2 {
      queue.async(group: group, flags: .barrier) {
        let old = lock.withLock { count.value }
        lock.withLock { count.value = old + 1 }
      }
      queue.async(group: group) {
        let first = lock.withLock { count.value }
        if lock.withLock({ count.value }) != first { seen.value = 1 }
      }
    }
    return queue.sync(flags: .barrier) { count.value == 2 && seen.value == 0 }
  },
  Body("barrier-within-sync") {
    let queue = concurrentQueue("concurrent")
    queue.sync { queue.sync(flags: .barrier) {} }
    return true
  },
  Body("sync-within-sync") {
    let queue = concurrentQueue("concurrent")
    return queue.sync { queue.sync { true } }
  },
  Body("sync-on-own-queue") {
    let queue = DispatchQueue(label: "own")
    queue.sync { queue.sync {} }
    return true
  },
  Body("sync-on-own-queue-by-block") {
    let queue = DispatchQueue(label: "own")
    let group = DispatchGroup()
    queue.async(group: group) { queue.sync {} }
    group.wait()
    return true
  },
  Body("sync-on-own-barrier") {
    let queue = concurrentQueue("concurrent")
    queue.sync(flags: .barrier) { queue.sync {} }
    return true
  },
  Body("sync-on-own-barrier-by-block") {
    let queue = concurrentQueue("concurrent")
    let group = DispatchGroup()
    queue.async(group: group, flags: .barrier) { queue.sync {} }
    group.wait()
    return true
  },
  Body("sync-on-own-target") {
    let target = DispatchQueue(label: "target")
    let queue = DispatchQueue(label: "queue", target: target)
    queue.sync { target.sync {} }
    return true
  },
  Body("crossed-syncs") {
    let first = DispatchQueue(label: "first")
    let second = DispatchQueue(label: "second")
    let group = DispatchGroup()
    first.async(group: group) { second.sync {} }
    second.async(group: group) { first.sync {} }
    group.wait()
    return true
  },
  Body("ordered-syncs") {
    let first = DispatchQueue(label: "first")
    let second = DispatchQueue(label: "second")
    let group = DispatchGroup()
    first.async(group: group) { second.sync {} }
    second.async(group: group) {}
    first.async(group: group) { second.sync {} }
    group.wait()
    return true
  },
  Body("shared-target") {
    // Two queues exclude each other through the queue that both target.
    let target = DispatchQueue(label: "target")
    let queues = ["a", "b"].map {
      DispatchQueue(label: $0, attributes: .concurrent, target: target)
    }
    let group = DispatchGroup()
    let lock = NSLock()
    let count = Shared(0)
    for queue in queues {
      for _ in 0..<2 {
        queue.async(group: group) {
          let old = lock.withLock { count.value }
          lock.withLock { count.value = old + 1 }
        }
      }
    }
    group.wait()
    return queues[0].sync { count.value == 4 }
  },
  Body("no-shared-target") {
    let queues = ["a", "b"].map { DispatchQueue(label: $0) }
    let group = DispatchGroup()
    let lock = NSLock()
    let count = Shared(0)
    for queue in queues {
      queue.async(group: group) {
        let old = lock.withLock { count.value }
        lock.withLock { count.value = old + 1 }
      }
    }
    group.wait()
    return count.value == 2
  },
  Body("queue-identity") {
    let outer = DispatchQueue(label: "outer")
    let inner = DispatchQueue(label: "inner", target: outer)
    let key = DispatchSpecificKey<Int>()
    outer.setSpecific(key: key, value: 5)
    let group = DispatchGroup()
    let found = Shared(0)
    inner.async(group: group) {
      dispatchPrecondition(condition: .onQueue(inner))
      dispatchPrecondition(condition: .onQueue(outer))
      found.value = DispatchQueue.getSpecific(key: key) ?? 0
    }
    group.wait()
    outer.sync { dispatchPrecondition(condition: .notOnQueue(inner)) }
    return found.value == 5 && DispatchQueue.getSpecific(key: key) == nil
  },
  Body("wrong-queue") {
    let queue = DispatchQueue(label: "other")
    DispatchQueue.global().sync { dispatchPrecondition(condition: .onQueue(queue)) }
    return true
  },
  Body("main-queue") {
    let trail = Trail()
    let group = DispatchGroup()
    for number in 0..<2 {
      DispatchQueue.main.async(group: group) {
        dispatchPrecondition(condition: .onQueue(.main))
        trail.append(number)
      }
    }
    group.wait()
    return DispatchQueue.main.sync { trail.text == "01" }
  },
]
