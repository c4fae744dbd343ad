import Foundation
import Programs

/// Groups, work items, timers and the main queue.
let dispatchPrograms: [Program] = [
  Program(
    "group-not-waited-for", "a thread reads what the blocks of a group write, before it waits",
    .races, twin: "it waits first",
    wrong: {
      let counter = Counter()
      let group = DispatchGroup()
      DispatchQueue.global().async(group: group) {
        letTimePass()
        counter.value = 1
      }
      use(counter.value)
      group.wait()
    },
    right: {
      let shelf = Shelf()
      let lock = NSLock()
      let group = DispatchGroup()
      for number in 0..<10 {
        DispatchQueue.global().async(group: group) { lock.withLock { shelf.array.append(number) } }
      }
      group.wait()
      use(shelf.array)
    }),
  Program(
    "work-item-not-waited-for", "a thread reads what a work item writes, and waits for it then",
    .races, twin: "it waits for the item first",
    wrong: {
      let counter = Counter()
      let begun = Signpost()
      let item = DispatchWorkItem {
        begun.set()
        letTimePass()
        counter.value = 1
      }
      DispatchQueue.global().async(execute: item)
      begun.wait()
      use(counter.value)
      item.wait()
    },
    right: {
      let counter = Counter()
      let item = DispatchWorkItem { counter.value = 1 }
      DispatchQueue.global().async(execute: item)
      item.wait()
      use(counter.value)
    }),
  Program(
    "blocks-of-one-thread", "blocks that a pool runs on whatever thread increment a number", .races,
    twin: "a barrier block comes between them",
    wrong: {
      let counter = Counter()
      let group = DispatchGroup()
      for _ in 0..<2 {
        DispatchQueue.global().async(group: group) { counter.add(1) }
        // Wait until the first block has ended: the pool then uses one thread for both.
        letTimePass()
      }
      group.wait()
    },
    right: {
      let counter = Counter()
      let queue = DispatchQueue(label: "numbers", attributes: .concurrent)
      queue.async { counter.add(1) }
      queue.async(flags: .barrier) {}
      queue.async { counter.add(1) }
      queue.sync(flags: .barrier) { use(counter.value) }
    }),
  Program(
    "iterations-in-turn", "short iterations of 'concurrentPerform' use one number", .races,
    twin: "each has a number of its own",
    wrong: {
      let counter = Counter()
      DispatchQueue.concurrentPerform(iterations: 8) { counter.add($0) }
    },
    right: {
      nonisolated(unsafe) let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 8)
      DispatchQueue.concurrentPerform(iterations: 8) { numbers[$0] = $0 }
      use((0..<8).reduce(0) { $0 + numbers[$1] })
      numbers.deallocate()
    }),
  Program(
    "work-item-performed", "a thread performs a work item, and another reads what it writes",
    .races, twin: "it waits for the item first",
    wrong: {
      let counter = Counter()
      nonisolated(unsafe) let item = DispatchWorkItem { counter.value = 1 }
      onTwoThreads {
        item.perform()
      } then: {
        use(counter.value)
        item.wait()
      }
    },
    right: {
      let counter = Counter()
      nonisolated(unsafe) let item = DispatchWorkItem { counter.value = 1 }
      onTwoThreads {
        item.perform()
      } then: {
        item.wait()
        use(counter.value)
      }
    }),
  Program("work-item-queued-twice", "a work item is enqueued on two serial queues", .passes) {
    let counter = Counter()
    let lock = NSLock()
    let queues = [DispatchQueue(label: "one"), DispatchQueue(label: "other")]
    for _ in 0..<20 {
      counter.value = 1
      let item = DispatchWorkItem { lock.withLock { counter.add(1) } }
      for queue in queues { queue.async(execute: item) }
      for queue in queues { queue.sync {} }
      use(counter.value)
    }
  },
  Program(
    "work-item-queued-twice-one-suspended",
    "a work item that two queues have is read after one of them has run it", .passes
  ) {
    let counter = Counter()
    let suspended = DispatchQueue(label: "suspended"), other = DispatchQueue(label: "other")
    let item = DispatchWorkItem { counter.add(1) }
    suspended.suspend()
    suspended.async(execute: item)
    other.async(execute: item)
    other.sync {}
    use(counter.value)
    suspended.resume()
    suspended.sync {}
    use(counter.value)
  },
  Program("group-notified", "a block that a group's end enqueues reads its results", .passes) {
    let counter = Counter()
    let group = DispatchGroup()
    let done = DispatchSemaphore(value: 0)
    let queue = DispatchQueue(label: "results")
    for _ in 0..<5 { queue.async(group: group) { counter.add(1) } }
    group.notify(queue: .global()) {
      use(counter.value)
      done.signal()
    }
    done.wait()
  },
  Program("iterations-under-lock", "iterations of 'concurrentPerform' share a lock", .passes) {
    let counter = Counter()
    let lock = NSLock()
    DispatchQueue.concurrentPerform(iterations: 50) { _ in lock.withLock { counter.add(1) } }
    use(counter.value)
  },
  Program("delayed-block", "a block that runs later reads what was written before", .passes) {
    let counter = Counter()
    let done = DispatchSemaphore(value: 0)
    counter.value = 1
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) {
      counter.add(1)
      done.signal()
    }
    done.wait()
    use(counter.value)
  },
  Program("queue-specific", "blocks change the object that their queue stores", .passes) {
    let key = DispatchSpecificKey<Counter>()
    let queue = DispatchQueue(label: "specific")
    queue.setSpecific(key: key, value: Counter())
    onTwoThreads { queue.sync { DispatchQueue.getSpecific(key: key)?.add(1) } }
  },
  Program("queue-activated", "blocks of an inactive queue read what came before", .passes) {
    let counter = Counter()
    let queue = DispatchQueue(label: "inactive", attributes: .initiallyInactive)
    queue.async { use(counter.value) }
    counter.value = 1
    queue.activate()
    queue.sync {}
  },
  Program("unmarked-nested-queues", "blocks go from queue to queue with an object", .passes) {
    let counter = Counter()
    let (one, other) = (DispatchQueue(label: "one"), DispatchQueue(label: "other"))
    let done = DispatchSemaphore(value: 0)
    one.async {
      counter.add(1)
      other.async {
        counter.add(1)
        one.async {
          counter.add(1)
          done.signal()
        }
      }
    }
    done.wait()
    use(counter.value)
  },
]
