import Dispatch
import Foundation

let dispatchBodies = [
  Body("notify") {
    let group = DispatchGroup()
    let done = DispatchSemaphore(value: 0)
    let trail = Trail()
    let lock = NSLock()
    for _ in 0..<2 {
      DispatchQueue.global().async(group: group) { lock.withLock { trail.append("b") } }
    }
    group.notify(queue: .global()) {
      trail.append("n")
      done.signal()
    }
    done.wait()
    return trail.text == "bbn"
  },
  Body("early-notify") {
    // In some orders the group is empty before the second block is submitted.
    let group = DispatchGroup()
    let done = DispatchSemaphore(value: 0)
    let count = Shared(0)
    let lock = NSLock()
    let add: @Sendable () -> Void = { lock.withLock { count.value += 1 } }
    DispatchQueue.global().async(group: group, execute: add)
    group.notify(queue: .global()) { done.signal() }
    DispatchQueue.global().async(group: group, execute: add)
    done.wait()
    return lock.withLock { count.value == 2 }
  },
  Body("late-enter") {
    // The block itself enters the group, so the wait may come before.
    let group = DispatchGroup()
    let lock = NSLock()
    let done = Shared(false)
    DispatchQueue.global().async {
      group.enter()
      lock.withLock { done.value = true }
      group.leave()
    }
    group.wait()
    return lock.withLock { done.value }
  },
  Body("late-enter-repaired") {
    let group = DispatchGroup()
    let lock = NSLock()
    let done = Shared(false)
    group.enter()
    DispatchQueue.global().async {
      lock.withLock { done.value = true }
      group.leave()
    }
    group.wait()
    return lock.withLock { done.value }
  },
  Body("unbalanced-leave") {
    let group = DispatchGroup()
    group.enter()
    group.leave()
    group.leave()
    return true
  },
  Body("leave-or-enter") {
    // The leave may come first, which traps.
    let group = DispatchGroup()
    runThreads({ group.enter() }, { group.leave() })
    return true
  },
  Body("leave-or-enter-behind-locks") {
    let group = DispatchGroup()
    runThreads(
      { group.enter() },
      {
        let own = NSLock()
        for _ in 0..<14 { own.withLock {} }
        group.leave()
      })
    return true
  },
  Body("balanced-leaves") {
    let group = DispatchGroup()
    for _ in 0..<3 {
      group.enter()
      DispatchQueue.global().async { group.leave() }
      DispatchQueue.global().async(group: group) {}
    }
    group.wait()
    return true
  },
  Body("leaves-and-notify") {
    // The leaves may be about to come when the notification is registered.
    let (group, trail) = (DispatchGroup(), Trail())
    let (queue, done) = (DispatchQueue(label: "q"), DispatchSemaphore(value: 0))
    for _ in 0..<2 { group.enter() }
    let ends = ["a", "b"].map { name in
      startThread {
        group.leave()
        queue.async { trail.append(name) }
      }
    }
    group.notify(queue: queue) {
      trail.append("n")
      done.signal()
    }
    for thread in ends { pthread_join(thread, nil) }
    done.wait()
    queue.sync {}
    Outcomes.note(trail.text)
    return true
  },
  Body("queue-specific") {
    let (queue, key) = (DispatchQueue(label: "q"), DispatchSpecificKey<Int>())
    runThreads(
      { queue.setSpecific(key: key, value: 1) },
      { Outcomes.note("\(queue.getSpecific(key: key) ?? 0)") })
    queue.sync { Outcomes.note("later \(DispatchQueue.getSpecific(key: key) ?? 0)") }
    return true
  },
  Body("group-time-out") {
    let group = DispatchGroup()
    group.enter()
    DispatchQueue.global().async { group.leave() }
    Outcomes.note(group.wait(timeout: .now() + 3600) == .success ? "success" : "timed out")
    return true
  },
  Body("semaphore-time-out") {
    let semaphore = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { semaphore.signal() }
    Outcomes.note(semaphore.wait(timeout: .now() + 3600) == .success ? "success" : "timed out")
    Outcomes.note(semaphore.wait(timeout: .now()) == .success ? "later success" : "later none")
    return true
  },
  Body("semaphore-freed-too-low") {
    let semaphore = DispatchSemaphore(value: 1)
    semaphore.wait()
    return true
  },
  Body("semaphore-freed-as-it-began") {
    let semaphore = DispatchSemaphore(value: 1)
    DispatchQueue.global().async { semaphore.signal() }
    for _ in 0..<2 { semaphore.wait() }
    semaphore.signal()
    return true
  },
  Body("semaphore-as-lock") {
    let semaphore = DispatchSemaphore(value: 1)
    let group = DispatchGroup()
    let count = Shared(0)
    for _ in 0..<2 {
      DispatchQueue.global().async(group: group) {
        semaphore.wait()
        let old = count.value
        semaphore.signal()
        semaphore.wait()
        count.value = old + 1
        semaphore.signal()
      }
    }
    group.wait()
    return count.value == 2
  },
  Body("semaphore-as-lock-repaired") {
    let semaphore = DispatchSemaphore(value: 1)
    let group = DispatchGroup()
    let count = Shared(0)
    for _ in 0..<2 {
      DispatchQueue.global().async(group: group) {
        semaphore.wait()
        count.value += 1
        semaphore.signal()
      }
    }
    group.wait()
    return count.value == 2
  },
  Body("timers-at-once") {
    let group = DispatchGroup()
    let trail = Trail()
    let time = DispatchTime.now() + 5
    for number in 0..<2 {
      group.enter()
      DispatchQueue.global().asyncAfter(deadline: time) {
        trail.append(number)
        group.leave()
      }
    }
    group.wait()
    Outcomes.note(trail.text)
    return true
  },
  Body("timers-in-turn") {
    // The timer that is made last fires first: after two hours, an hour before the other timer.
    let group = DispatchGroup()
    let trail = Trail()
    for hours in [3, 2] {
      group.enter()
      DispatchQueue(label: "timer").asyncAfter(deadline: .now() + .seconds(3600 * hours)) {
        trail.append(hours)
        group.leave()
      }
    }
    group.wait()
    return trail.text == "23"
  },
  Body("debounce") {
    // Each event cancels the timer of the event before, so only the last timer fires.
    final class Debouncer: @unchecked Sendable {
      // Unchecked: everything is on the queue.
      let queue = DispatchQueue(label: "debounce")
      var pending: DispatchWorkItem?
      var fired: [Int] = []

      func note(_ event: Int, _ group: DispatchGroup) {
        queue.async {
          self.pending?.cancel()
          let item = DispatchWorkItem { self.fired.append(event) }
          self.pending = item
          self.queue.asyncAfter(deadline: .now() + 1, execute: item)
          group.leave()
        }
      }
    }
    let debouncer = Debouncer()
    let noted = DispatchGroup()
    for event in 0..<3 {
      noted.enter()
      debouncer.note(event, noted)
    }
    noted.wait()
    let done = DispatchSemaphore(value: 0)
    debouncer.queue.asyncAfter(deadline: .now() + 10) { done.signal() }
    done.wait()
    return debouncer.queue.sync { debouncer.fired == [2] }
  },
  Body("work-item") {
    let group = DispatchGroup()
    let trail = Trail()
    let item = DispatchWorkItem { trail.append("i") }
    group.enter()
    item.notify(queue: .global()) {
      trail.append("n")
      group.leave()
    }
    DispatchQueue.global().async(execute: item)
    item.wait()
    group.wait()
    return trail.text == "in"
  },
  Body("work-item-cancelled") {
    // The item may have begun before it is cancelled.
    let group = DispatchGroup()
    let count = Shared(0)
    let item = DispatchWorkItem { count.value += 1 }
    DispatchQueue.global().async(group: group, execute: item)
    item.cancel()
    group.wait()
    Outcomes.note(count.value == 0 ? "cancelled" : "ran")
    return true
  },
  Body("work-item-barrier") {
    let queue = concurrentQueue("concurrent")
    let group = DispatchGroup()
    let trail = Trail()
    queue.async(group: group) { trail.append("a") }
    queue.async(group: group, execute: DispatchWorkItem(flags: .barrier) { trail.append("b") })
    queue.async(group: group) { trail.append("c") }
    group.wait()
    return trail.text == "abc"
  },
  Body("perform") {
    let lock = NSLock()
    let count = Shared(0)
    DispatchQueue.concurrentPerform(iterations: 3) { _ in
      let old = lock.withLock { count.value }
      lock.withLock { count.value = old + 1 }
    }
    return count.value == 3
  },
  Body("perform-repaired") {
    let lock = NSLock()
    let count = Shared(0)
    DispatchQueue.concurrentPerform(iterations: 3) { _ in lock.withLock { count.value += 1 } }
    return count.value == 3
  },
  Body("timer-source") {
    let ticks = DispatchSemaphore(value: 0)
    let cancelled = DispatchSemaphore(value: 0)
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer"))
    timer.schedule(deadline: .now() + 3600, repeating: 60)
    timer.setEventHandler { ticks.signal() }
    timer.setCancelHandler { cancelled.signal() }
    timer.resume()
    for _ in 0..<3 { ticks.wait() }
    timer.cancel()
    cancelled.wait()
    return timer.isCancelled
  },
  Body("operations") {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let count = Shared(0)
    for _ in 0..<3 { queue.addOperation { count.value += 1 } }
    queue.waitUntilAllOperationsAreFinished()
    return count.value == 3
  },
  Body("operations-lost-update") {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2
    let lock = NSLock()
    let count = Shared(0)
    for _ in 0..<2 {
      queue.addOperation {
        let old = lock.withLock { count.value }
        lock.withLock { count.value = old + 1 }
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    return count.value == 2
  },
  Body("dry-pool") {
    // The block waits for a second block, which needs another worker.
    let done = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      DispatchQueue.global().async { done.signal() }
      done.wait()
    }
    group.wait()
    return true
  },
  Body("reads") { readThroughQueue(concurrentQueue("cache")) },
  Body("reads-through-serial-queue") { readThroughQueue(DispatchQueue(label: "cache")) },
]

/// 1,000 callers read at once through a queue; each waits for `async` on its own semaphore.
private func readThroughQueue(_ cache: DispatchQueue) -> Bool {
  let callers = concurrentQueue("callers")
  let group = DispatchGroup()
  for _ in 0..<1000 {
    callers.async(group: group) {
      let done = DispatchSemaphore(value: 0)
      cache.async { done.signal() }
      done.wait()
    }
  }
  group.wait()
  return true
}
