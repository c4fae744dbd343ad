import Foundation
import Interlock

/// State that a queue guards, and accesses that bypass it.
let queuedRacePrograms: [PredictProgram] = [
  PredictProgram("queue-bypassed", "one thread uses the serial queue, the other bypasses it") {
    let shared = Shared()
    let queue = DispatchQueue(label: "number")
    oneAfterAnother({ queue.sync { shared.set(1) } }, { _ = shared.get() })
  },
  PredictProgram("queue-used", "both threads use the serial queue") {
    let shared = Shared()
    let queue = DispatchQueue(label: "number")
    oneAfterAnother({ queue.sync { shared.set(1) } }, { queue.sync { _ = shared.get() } })
  },
  PredictProgram(
    "write-without-barrier", "two threads write in a concurrent queue, without a barrier"
  ) {
    let shared = Shared()
    let queue = DispatchQueue(label: "number", attributes: .concurrent)
    oneAfterAnother({ queue.sync { shared.set(1) } }, { queue.sync { shared.set(2) } })
  },
  PredictProgram("write-with-barrier", "writes in a concurrent queue are barriers, reads are not") {
    let shared = Shared()
    let queue = DispatchQueue(label: "number", attributes: .concurrent)
    oneAfterAnother(
      { queue.sync(flags: .barrier) { shared.set(1) } },
      {
        queue.sync { _ = shared.get() }
        queue.sync(flags: .barrier) { shared.set(2) }
      })
  },
  PredictProgram(
    "two-serial-queues", "two serial queues write to one number, each as if it were its own"
  ) {
    let shared = Shared()
    let (one, other) = (DispatchQueue(label: "one"), DispatchQueue(label: "other"))
    oneAfterAnother({ one.sync { shared.set(1) } }, { other.sync { shared.set(2) } })
  },
  PredictProgram("two-queues-one-target", "two queues with one serial target write to one number") {
    let shared = Shared()
    let target = DispatchQueue(label: "target")
    let one = DispatchQueue(label: "one", attributes: .concurrent, target: target)
    let other = DispatchQueue(label: "other", target: target)
    oneAfterAnother({ one.sync { shared.set(1) } }, { other.sync { shared.set(2) } })
  },
  PredictProgram(
    "result-read-too-early", "what a block writes is read without waiting for the block"
  ) {
    let shared = Shared()
    let group = DispatchGroup()
    DispatchQueue(label: "work").async(group: group) { shared.set(1) }
    Thread.sleep(forTimeInterval: 0.2)
    _ = shared.get()
    group.wait()
  },
  PredictProgram(
    "result-read-behind-it", "a block writes, and a later sync on the same queue reads"
  ) {
    let shared = Shared()
    let queue = DispatchQueue(label: "work")
    queue.async { shared.set(1) }
    queue.sync {}
    _ = shared.get()
  },
]
