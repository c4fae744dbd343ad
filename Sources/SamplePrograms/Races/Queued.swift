import Foundation
import Interlock
import Programs

/// State that a queue guards, and accesses that bypass it.
let queuedRacePrograms: [Program] = [
  Program(
    "queue-bypassed", "one thread uses the serial queue, the other bypasses it", .predicts(.race)
  ) {
    let shared = Shared()
    let queue = DispatchQueue(label: "number")
    oneAfterAnother({ queue.sync { shared.set(1) } }, { _ = shared.get() })
  },
  Program("queue-used", "both threads use the serial queue", .predicts()) {
    let shared = Shared()
    let queue = DispatchQueue(label: "number")
    oneAfterAnother({ queue.sync { shared.set(1) } }, { queue.sync { _ = shared.get() } })
  },
  Program(
    "write-without-barrier", "two threads write in a concurrent queue, without a barrier",
    .predicts(.race)
  ) {
    let shared = Shared()
    let queue = DispatchQueue(label: "number", attributes: .concurrent)
    oneAfterAnother({ queue.sync { shared.set(1) } }, { queue.sync { shared.set(2) } })
  },
  Program(
    "write-with-barrier", "writes in a concurrent queue are barriers, reads are not", .predicts()
  ) {
    let shared = Shared()
    let queue = DispatchQueue(label: "number", attributes: .concurrent)
    oneAfterAnother(
      { queue.sync(flags: .barrier) { shared.set(1) } },
      {
        queue.sync { _ = shared.get() }
        queue.sync(flags: .barrier) { shared.set(2) }
      })
  },
  Program(
    "two-serial-queues", "two serial queues write to one number, each as if it were its own",
    .predicts(.race)
  ) {
    let shared = Shared()
    let (one, other) = (DispatchQueue(label: "one"), DispatchQueue(label: "other"))
    oneAfterAnother({ one.sync { shared.set(1) } }, { other.sync { shared.set(2) } })
  },
  Program(
    "two-queues-one-target", "two queues with one serial target write to one number", .predicts()
  ) {
    let shared = Shared()
    let target = DispatchQueue(label: "target")
    let one = DispatchQueue(label: "one", attributes: .concurrent, target: target)
    let other = DispatchQueue(label: "other", target: target)
    oneAfterAnother({ one.sync { shared.set(1) } }, { other.sync { shared.set(2) } })
  },
  Program(
    "result-read-too-early", "what a block writes is read without waiting for the block",
    .predicts(.race)
  ) {
    let shared = Shared()
    let group = DispatchGroup()
    DispatchQueue(label: "work").async(group: group) { shared.set(1) }
    Thread.sleep(forTimeInterval: 0.2)
    _ = shared.get()
    group.wait()
  },
  Program(
    "result-read-behind-it", "a block writes, and a later sync on the same queue reads", .predicts()
  ) {
    let shared = Shared()
    let queue = DispatchQueue(label: "work")
    queue.async { shared.set(1) }
    queue.sync {}
    _ = shared.get()
  },
]
