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
]
