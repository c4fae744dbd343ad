import Dispatch
import Foundation

/// Queues that are suspended, or begin inactive.
let suspensionBodies = [
  Body("suspended") {
    let queue = DispatchQueue(label: "suspended")
    let group = DispatchGroup()
    let trail = Trail()
    queue.suspend()
    queue.async(group: group) { trail.append("b") }
    DispatchQueue.global().sync { trail.append("a") }
    queue.resume()
    group.wait()
    return trail.text == "ab"
  },
  Body("suspended-for-ever") {
    let queue = DispatchQueue(label: "suspended")
    let group = DispatchGroup()
    queue.suspend()
    queue.async(group: group) {}
    group.wait()
    queue.resume()
    return true
  },
  Body("suspended-concurrent") {
    let queue = concurrentQueue("suspended")
    let group = DispatchGroup()
    let lock = NSLock()
    let text = Shared("")
    runThreads(
      {
        queue.suspend()
        lock.withLock { text.value += "a" }
        queue.resume()
      },
      {
        queue.async(group: group) { lock.withLock { text.value += "b" } }
      })
    group.wait()
    Outcomes.note(text.value)
    return true
  },
  Body("inactive-concurrent") {
    let queue = DispatchQueue(label: "inactive", attributes: [.concurrent, .initiallyInactive])
    let group = DispatchGroup()
    let lock = NSLock()
    let text = Shared("")
    queue.async(group: group) { lock.withLock { text.value += "b" } }
    runThreads(
      { lock.withLock { text.value += "a" } },
      { queue.activate() })
    group.wait()
    Outcomes.note(text.value)
    return true
  },
  Body("suspended-between-blocks") {
    // The suspension may come before the first block, between the two, or after both.
    let queue = DispatchQueue(label: "suspended")
    let trail = Trail()
    let group = DispatchGroup()
    for number in 0..<2 { queue.async(group: group) { trail.append(number) } }
    queue.suspend()
    trail.append("s")
    queue.resume()
    group.wait()
    Outcomes.note(trail.text)
    return true
  },
  Body("inactive") {
    let queue = DispatchQueue(label: "inactive", attributes: .initiallyInactive)
    let group = DispatchGroup()
    let count = Shared(0)
    queue.async(group: group) { count.value += 1 }
    let before = count.value
    queue.activate()
    group.wait()
    return before == 0 && count.value == 1
  },
  Body("over-resumed") {
    let queue = DispatchQueue(label: "suspended")
    queue.suspend()
    queue.resume()
    queue.resume()
    return true
  },
  Body("over-resumed-inactive") {
    // Only `activate` starts a queue that is inactive.
    let queue = DispatchQueue(label: "inactive", attributes: .initiallyInactive)
    queue.resume()
    return true
  },
  Body("over-resumed-timer") {
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler {}
    timer.resume()
    timer.resume()
    return true
  },
  Body("resumed-before-suspended") {
    // Only the order in which the suspension comes first is right.
    let queue = DispatchQueue(label: "suspended")
    runThreads({ queue.suspend() }, { queue.resume() })
    return true
  },
  Body("timer-resumed-before-suspended") {
    // Unsafe: every thread may call a source.
    nonisolated(unsafe) let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler {}
    timer.resume()
    runThreads({ timer.suspend() }, { timer.resume() })
    timer.cancel()
    return true
  },
  Body("balanced-resumes") {
    let queue = DispatchQueue(label: "suspended")
    runThreads(
      {
        queue.suspend()
        queue.resume()
      },
      {
        queue.suspend()
        queue.resume()
      })
    let inactive = DispatchQueue(label: "inactive", attributes: .initiallyInactive)
    inactive.suspend()
    runThreads({ inactive.activate() }, { inactive.activate() })
    inactive.resume()
    let ticked = DispatchSemaphore(value: 0)
    let timer = DispatchSource.makeTimerSource(queue: inactive)
    timer.setEventHandler { ticked.signal() }
    timer.schedule(deadline: .now())
    timer.suspend()
    timer.resume()
    timer.activate()
    timer.activate()
    ticked.wait()
    timer.suspend()
    timer.resume()
    timer.cancel()
    return true
  },
  Body("suspended-before") {
    // Only in the first execution is the queue made and suspended within the body.
    suspendedBefore.resume()
    suspendedBefore.sync {}
    return true
  },
  Body("suspended-queues-of-the-system") {
    // libdispatch ignores suspensions and resumes of the queues that it makes itself.
    let done = DispatchSemaphore(value: 0)
    for queue in [DispatchQueue.main, .global()] {
      queue.resume()
      queue.suspend()
      queue.async { done.signal() }
      done.wait()
    }
    return true
  },
]

private let suspendedBefore: DispatchQueue = {
  let queue = DispatchQueue(label: "suspended")
  queue.suspend()
  return queue
}()
