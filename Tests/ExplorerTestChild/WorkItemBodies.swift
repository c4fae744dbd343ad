import Dispatch
import Foundation

/// Work items that code calls itself, waits for, and runs more than once.
///
/// Items that closures capture are unsafe, because `DispatchWorkItem` is not `Sendable`, although
/// every thread may call one.
let workItemBodies = [
  Body("work-item-performed") {
    let item = DispatchWorkItem {}
    item.perform()
    item.wait()
    return true
  },
  Body("work-item-cancelled-and-performed") {
    let count = Shared(0)
    let item = DispatchWorkItem { count.value = 1 }
    item.cancel()
    item.perform()
    item.wait()
    return count.value == 0
  },
  Body("work-item-performed-elsewhere") {
    nonisolated(unsafe) let item = DispatchWorkItem {}
    let trail = Trail()
    let notified = DispatchSemaphore(value: 0)
    item.notify(queue: .global()) {
      trail.append("n")
      notified.signal()
    }
    let thread = startThread {
      trail.append("p")
      item.perform()
    }
    item.wait()
    notified.wait()
    pthread_join(thread, nil)
    return trail.text == "pn"
  },
  Body("work-item-performed-or-not") {
    nonisolated(unsafe) let item = DispatchWorkItem {}
    let thread = startThread { item.perform() }
    Outcomes.note("\(item.wait(timeout: .now() + 1))")
    pthread_join(thread, nil)
    return true
  },
  Body("work-item-not-performed") {
    let item = DispatchWorkItem {}
    DispatchWorkItem {}.perform()
    item.wait()
    return true
  },
  Body("work-item-performs-another") {
    nonisolated(unsafe) let inner = DispatchWorkItem {}
    let outer = DispatchWorkItem { inner.perform() }
    DispatchQueue.global().async(execute: outer)
    inner.wait()
    outer.wait()
    return true
  },
  Body("work-item-waited-for-twice") {
    let item = DispatchWorkItem {}
    DispatchQueue.global().async(execute: item)
    for _ in 0..<2 { item.wait() }
    return true
  },
  Body("work-item-waited-for-by-two") {
    nonisolated(unsafe) let item = DispatchWorkItem {}
    DispatchQueue.global().async(execute: item)
    runThreads({ item.wait() }, { item.wait() })
    return true
  },
  Body("work-item-waited-for-by-two-or-in-turn") {
    // The waits trap only if both threads wait at the same time.
    nonisolated(unsafe) let item = DispatchWorkItem {}
    runThreads(
      { _ = item.wait(timeout: .now() + 1) },
      { _ = item.wait(timeout: .now() + 1) })
    return true
  },
  Body("work-item-waited-for-after-time-out") {
    let item = DispatchWorkItem {}
    _ = item.wait(timeout: .now())
    _ = item.wait(timeout: .now() + 1)
    DispatchQueue.global().async(execute: item)
    item.wait()
    return true
  },
  Body("work-item-run-twice-and-waited-for") {
    let item = DispatchWorkItem {}
    for _ in 0..<2 { DispatchQueue.global().async(execute: item) }
    item.wait()
    return true
  },
  Body("work-item-performed-twice-and-waited-for") {
    let item = DispatchWorkItem {}
    for _ in 0..<2 { item.perform() }
    item.wait()
    return true
  },
  Body("work-item-run-after-wait") {
    let item = DispatchWorkItem {}
    item.perform()
    item.wait()
    DispatchQueue(label: "q").sync(execute: item)
    return true
  },
  Body("work-item-run-twice-and-notified") {
    let item = DispatchWorkItem {}
    for _ in 0..<2 { DispatchQueue.global().async(execute: item) }
    item.notify(queue: .global()) {}
    return true
  },
  Body("work-item-run-twice") {
    let (item, queue) = (DispatchWorkItem {}, DispatchQueue(label: "q"))
    for _ in 0..<2 { queue.async(execute: item) }
    queue.sync {}
    return true
  },
  Body("work-item-synced-or-cancelled") {
    let ran = Shared(false)
    nonisolated(unsafe) let item = DispatchWorkItem { ran.value = true }
    runThreads({ DispatchQueue(label: "q").sync(execute: item) }, { item.cancel() })
    Outcomes.note(ran.value ? "ran" : "cancelled")
    return true
  },
]
