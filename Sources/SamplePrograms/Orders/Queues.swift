import Dispatch
import Foundation
import Programs

/// Queues on which each step runs alone, but the sequence of steps does not.
let queuePrograms: [Program] = [
  Program(
    "read-and-set-on-queue", "a number is read by sync and written by async on its serial queue",
    .failsInSomeOrder(.violation), twin: "one block reads and writes the number"
  ) {
    let (queue, count) = (DispatchQueue(label: "count"), Guarded(0))
    let add = { @Sendable in
      let old = queue.sync { count.value }
      queue.async { count.set(old + 1) }
    }
    together(add, add)
    let sum = queue.sync { count.value }
    try expect(sum == 2, "2 additions gave \(sum)")
  } right: {
    let (queue, count) = (DispatchQueue(label: "count"), Guarded(0))
    let add = { @Sendable in queue.async { count.set(count.value + 1) } }
    together(add, add)
    let sum = queue.sync { count.value }
    try expect(sum == 2, "2 additions gave \(sum)")
  },

  Program(
    "barrier-on-a-global-queue", "a barrier on a global queue does not keep other blocks out",
    .failsInSomeOrder(.violation), twin: "the barrier is on a concurrent queue of its own",
    source: "dispatch_barrier_async(3): on a global queue it is like dispatch_async"
  ) {
    try writePair(on: .global())
  } right: {
    try writePair(on: DispatchQueue(label: "pair", attributes: .concurrent))
  },

  Program(
    "checked-before-the-barrier", "a key is looked up by sync, and inserted by a barrier",
    .failsInSomeOrder(.violation), twin: "the barrier block looks the key up again"
  ) {
    let queue = DispatchQueue(label: "table", attributes: .concurrent)
    let (table, made) = (Guarded([String: Int]()), Guarded(0))
    let insert = { @Sendable in
      if queue.sync(execute: { table.value["a"] }) != nil { return }
      queue.sync(flags: .barrier) {
        made.update { $0 += 1 }
        table.update { $0["a"] = 1 }
      }
    }
    together(insert, insert)
    try expect(made.value == 1, "the value was made \(made.value) times")
  } right: {
    let queue = DispatchQueue(label: "table", attributes: .concurrent)
    let (table, made) = (Guarded([String: Int]()), Guarded(0))
    let insert = { @Sendable in
      if queue.sync(execute: { table.value["a"] }) != nil { return }
      queue.sync(flags: .barrier) {
        if table.value["a"] != nil { return }
        made.update { $0 += 1 }
        table.update { $0["a"] = 1 }
      }
    }
    together(insert, insert)
    try expect(made.value == 1, "the value was made \(made.value) times")
  },

  Program(
    "two-queues-for-one-value", "two serial queues change one value, each in two steps",
    .failsInSomeOrder(.violation), twin: "both queues have one serial queue as their target"
  ) {
    try addOn(DispatchQueue(label: "a"), DispatchQueue(label: "b"))
  } right: {
    let target = DispatchQueue(label: "value")
    try addOn(DispatchQueue(label: "a", target: target), DispatchQueue(label: "b", target: target))
  },

  Program(
    "results-in-order-of-the-end",
    "results of concurrent blocks are appended, and expected in order",
    .failsInSomeOrder(.violation),
    twin: "each block writes its own place of the result"
  ) {
    let results = Guarded([Int]())
    together({ results.update { $0.append(1) } }, { results.update { $0.append(2) } })
    try expect(results.value == [1, 2], "the results are \(results.value)")
  } right: {
    let results = Guarded([0, 0])
    together({ results.update { $0[0] = 1 } }, { results.update { $0[1] = 2 } })
    try expect(results.value == [1, 2], "the results are \(results.value)")
  },

  Program(
    "suspended-while-running", "suspend() returns while a block of the queue still runs",
    .failsInSomeOrder(.violation), twin: "a block of the queue itself suspends it"
  ) {
    let (queue, steps, isPaused) = (DispatchQueue(label: "work"), Guarded(0), Guarded(false))
    let movedInPause = Guarded(false)
    queue.async {
      steps.update { $0 += 1 }
      if isPaused.value { movedInPause.set(true) }
    }
    queue.suspend()
    isPaused.set(true)
    isPaused.set(false)
    queue.resume()
    queue.sync {}
    try expect(!movedInPause.value, "a block ran while the queue was suspended")
  } right: {
    let (queue, steps, isPaused) = (DispatchQueue(label: "work"), Guarded(0), Guarded(false))
    let movedInPause = Guarded(false)
    queue.async {
      steps.update { $0 += 1 }
      if isPaused.value { movedInPause.set(true) }
    }
    queue.sync { queue.suspend() }
    isPaused.set(true)
    isPaused.set(false)
    queue.resume()
    queue.sync {}
    try expect(!movedInPause.value, "a block ran while the queue was suspended")
  },

  Program(
    "cancelled-item-still-runs",
    "a file is closed after cancel(), while the work item writes to it",
    .failsInSomeOrder(.violation),
    twin: "the file is closed after the item has ended"
  ) {
    let (isOpen, wroteToClosed) = (Guarded(true), Guarded(false))
    let item = DispatchWorkItem { if !isOpen.value { wroteToClosed.set(true) } }
    DispatchQueue.global().async(execute: item)
    item.cancel()
    isOpen.set(false)
    item.wait()
    try expect(!wroteToClosed.value, "the item wrote to a closed file")
  } right: {
    let (isOpen, wroteToClosed) = (Guarded(true), Guarded(false))
    let item = DispatchWorkItem { if !isOpen.value { wroteToClosed.set(true) } }
    DispatchQueue.global().async(execute: item)
    item.cancel()
    item.wait()
    isOpen.set(false)
    try expect(!wroteToClosed.value, "the item wrote to a closed file")
  },
]

/// Writes two values in a barrier block, and reads both in another block.
private func writePair(on queue: DispatchQueue) throws {
  let (first, second) = (Guarded(0), Guarded(0))
  let group = DispatchGroup()
  let isWhole = Guarded(true)
  queue.async(group: group, flags: .barrier) {
    first.set(1)
    second.set(1)
  }
  queue.async(group: group) { isWhole.set(first.value == second.value) }
  group.wait()
  try expect(isWhole.value, "a reader saw half of the write")
}

/// Adds 1 in a block of each queue, in two steps.
private func addOn(_ queues: DispatchQueue...) throws {
  let (group, count) = (DispatchGroup(), Guarded(0))
  for queue in queues {
    queue.async(group: group) {
      let old = count.value
      count.set(old + 1)
    }
  }
  group.wait()
  try expect(count.value == 2, "2 additions gave \(count.value)")
}
