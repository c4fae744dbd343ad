import Foundation
import Programs

/// Queues that guard memory, and queues that seem to.
let queuePrograms: [Program] = [
  Program(
    "unmarked-two-serial-queues", "two serial queues write one number", .races,
    twin: "they have one target",
    wrong: {
      let counter = Counter()
      let (one, other) = (DispatchQueue(label: "one"), DispatchQueue(label: "other"))
      onTwoThreads {
        one.sync { counter.add(1) }
      } then: {
        other.sync { counter.add(1) }
      }
    },
    right: {
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
  Program(
    "unmarked-queue-bypassed", "a thread reads beside the queue on which another writes", .races,
    twin: "it reads on the queue",
    wrong: {
      let counter = Counter()
      let queue = DispatchQueue(label: "counter")
      onTwoThreads {
        queue.sync { counter.add(1) }
      } then: {
        use(counter.value)
      }
    },
    right: {
      let counter = Counter()
      let queue = DispatchQueue(label: "counter")
      onTwoThreads {
        queue.async { counter.add(1) }
      } then: {
        use(queue.sync { counter.value })
      }
      queue.sync {}
    }),
  Program(
    "read-before-the-block", "a thread reads at once what a block writes that it has enqueued",
    .races, twin: "it waits for the block",
    wrong: {
      let counter = Counter()
      let queue = DispatchQueue(label: "counter")
      queue.async {
        letTimePass()
        counter.value = 1
      }
      use(counter.value)
      queue.sync {}
    },
    right: {
      let counter = Counter()
      let queue = DispatchQueue(label: "counter")
      queue.async { counter.value = 1 }
      queue.sync {}
      use(counter.value)
    }),
  Program(
    "blocks-at-once", "two blocks of a concurrent queue run at once and write one number", .races,
    twin: "the queue is serial",
    wrong: { addInBlocks(of: DispatchQueue(label: "work", attributes: .concurrent)) },
    right: {
      let counter = Counter()
      let queue = DispatchQueue(label: "work")
      for _ in 0..<50 { queue.async { counter.add(1) } }
      use(queue.sync { counter.value })
    }),
  Program(
    "iterations-at-once", "two iterations of 'concurrentPerform' increment one number", .races,
    twin: "each writes an element of its own, and the caller reads them afterwards",
    wrong: {
      let counter = Counter()
      let meeting = Meeting(2)
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        meeting.wait()
        if index == 1 { letTimePass() }
        counter.add(1)
      }
    },
    right: {
      nonisolated(unsafe) let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 64)
      DispatchQueue.concurrentPerform(iterations: 64) { numbers[$0] = $0 }
      use((0..<64).reduce(0) { $0 + numbers[$1] })
      numbers.deallocate()
    }),
  Program(
    "written-beside-the-block", "a thread writes what a block on a queue reads meanwhile", .races,
    twin: "it waits for the block",
    wrong: {
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
    right: {
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
