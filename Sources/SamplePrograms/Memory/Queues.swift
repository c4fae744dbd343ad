import Foundation

/// Queues that guard memory, and queues that seem to.
let queuePairs: [MemoryPair] = [
  MemoryPair(
    "unmarked-two-serial-queues", "two serial queues write one number",
    order: "they have one target",
    racy: {
      let counter = Counter()
      let (one, other) = (DispatchQueue(label: "one"), DispatchQueue(label: "other"))
      onTwoThreads {
        one.sync { counter.add(1) }
      } then: {
        other.sync { counter.add(1) }
      }
    },
    ordered: {
      let counter = Counter()
      let target = DispatchQueue(label: "target")
      let one = DispatchQueue(label: "one", target: target)
      let other = DispatchQueue(label: "other", target: target)
      onTwoThreads {
        one.sync { counter.add(1) }
      } then: {
        other.sync { counter.add(1) }
      }
    }),
  MemoryPair(
    "unmarked-queue-bypassed", "a thread reads beside the queue on which another writes",
    order: "it reads on the queue",
    racy: {
      let counter = Counter()
      let queue = DispatchQueue(label: "counter")
      onTwoThreads {
        queue.sync { counter.add(1) }
      } then: {
        use(counter.value)
      }
    },
    ordered: {
      let counter = Counter()
      let queue = DispatchQueue(label: "counter")
      onTwoThreads {
        queue.async { counter.add(1) }
      } then: {
        use(queue.sync { counter.value })
      }
      queue.sync {}
    }),
  MemoryPair(
    "read-before-the-block", "a thread reads at once what a block writes that it has enqueued",
    order: "it waits for the block",
    racy: {
      let counter = Counter()
      let queue = DispatchQueue(label: "counter")
      queue.async {
        letTimePass()
        counter.value = 1
      }
      use(counter.value)
      queue.sync {}
    },
    ordered: {
      let counter = Counter()
      let queue = DispatchQueue(label: "counter")
      queue.async { counter.value = 1 }
      queue.sync {}
      use(counter.value)
    }),
  MemoryPair(
    "blocks-at-once", "two blocks of a concurrent queue run at once and write one number",
    order: "the queue is serial",
    racy: { addInBlocks(of: DispatchQueue(label: "work", attributes: .concurrent)) },
    ordered: {
      let counter = Counter()
      let queue = DispatchQueue(label: "work")
      for _ in 0..<50 { queue.async { counter.add(1) } }
      use(queue.sync { counter.value })
    }),
  MemoryPair(
    "iterations-at-once", "two iterations of 'concurrentPerform' increment one number",
    order: "each writes an element of its own, and the caller reads them afterwards",
    racy: {
      let counter = Counter()
      let meeting = Meeting(2)
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        meeting.wait()
        if index == 1 { letTimePass() }
        counter.add(1)
      }
    },
    ordered: {
      nonisolated(unsafe) let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 64)
      DispatchQueue.concurrentPerform(iterations: 64) { numbers[$0] = $0 }
      use((0..<64).reduce(0) { $0 + numbers[$1] })
      numbers.deallocate()
    }),
  MemoryPair(
    "written-beside-the-block", "a thread writes what a block on a queue reads meanwhile",
    order: "it waits for the block",
    racy: {
      let counter = Counter()
      let started = DispatchSemaphore(value: 0)
      let other = DispatchQueue(label: "reader")
      other.async {
        started.signal()
        letTimePass()
        use(counter.value)
      }
      started.wait()
      counter.value = 1
      other.sync {}
    },
    ordered: {
      let counter = Counter()
      let queue = DispatchQueue(label: "reader")
      counter.value = 1
      queue.sync { use(counter.value) }
      counter.value = 2
    }),
]

private func addInBlocks(of queue: DispatchQueue) {
  let counter = Counter()
  let group = DispatchGroup()
  let meeting = Meeting(2)
  for isSecond in [false, true] {
    queue.async(group: group) {
      meeting.wait()
      if isSecond { letTimePass() }
      counter.add(1)
    }
  }
  group.wait()
}
