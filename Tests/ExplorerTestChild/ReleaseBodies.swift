import Dispatch
import Foundation

/// The last references to queues and sources, released while these are suspended or not.
let releaseBodies = [
  Body("suspended-queue-released") {
    let queue = DispatchQueue(label: "released")
    queue.suspend()
    return true
  },
  Body("suspended-queue-with-block-released") {
    // The block needs no reference of the user's code.
    let queue = DispatchQueue(label: "released")
    queue.suspend()
    queue.async {}
    return true
  },
  Body("inactive-queue-released") {
    _ = DispatchQueue(label: "released", attributes: .initiallyInactive)
    return true
  },
  Body("suspended-timer-released") {
    let timer = DispatchSource.makeTimerSource()
    timer.resume()
    timer.suspend()
    return true
  },
  Body("inactive-timer-released") {
    _ = DispatchSource.makeTimerSource()
    return true
  },
  Body("cancelled-inactive-timer-released") {
    let timer = DispatchSource.makeTimerSource()
    timer.cancel()
    return true
  },
  Body("suspended-data-source-released") {
    let source = DispatchSource.makeUserDataAddSource()
    source.resume()
    source.suspend()
    return true
  },
  Body("suspended-target-released") {
    // The timer keeps its queue, which counts as no reference of the user's code.
    let timer = DispatchSource.makeTimerSource(queue: suspendedQueue())
    timer.activate()
    timer.cancel()
    return true
  },
  Body("resumed-objects-released") {
    let queue = DispatchQueue(label: "released")
    let inactive = DispatchQueue(label: "inactive", attributes: .initiallyInactive)
    inactive.activate()
    queue.suspend()
    queue.async {}
    queue.resume()
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now())
    timer.setEventHandler {}
    timer.resume()
    timer.suspend()
    timer.resume()
    timer.cancel()
    let source = DispatchSource.makeUserDataAddSource(queue: queue)
    source.activate()
    source.add(data: 1)
    return true
  },
  Body("suspended-queue-kept") {
    // The block that runs elsewhere keeps the queue until it resumes the queue.
    let queue = DispatchQueue(label: "kept")
    queue.suspend()
    let (group, trail) = (DispatchGroup(), Trail())
    queue.async(group: group) { trail.append("b") }
    DispatchQueue.global().async { queue.resume() }
    group.wait()
    return trail.text == "b"
  },
  Body("timer-kept-by-its-handler") {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now())
    timer.setEventHandler { timer.cancel() }
    timer.setCancelHandler { done.signal() }
    timer.activate()
    done.wait()
    return true
  },
]

private func suspendedQueue() -> DispatchQueue {
  let queue = DispatchQueue(label: "target")
  queue.suspend()
  return queue
}
