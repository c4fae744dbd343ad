import Dispatch
import Foundation
import Programs

/// Groups that are empty too early.
let groupPrograms: [Program] = [
  Program(
    "group-entered-in-block", "a block enters its group itself, and the group is empty before",
    .failsInSomeOrder(.violation), twin: "the group is entered before the block is submitted"
  ) {
    let (group, count) = (DispatchGroup(), Guarded(0))
    let ended = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      group.enter()
      count.set(1)
      group.leave()
      ended.signal()
    }
    group.wait()
    let seen = count.value
    ended.wait()
    try expect(seen == 1, "the group was empty before its block began")
  } right: {
    let (group, count) = (DispatchGroup(), Guarded(0))
    let ended = DispatchSemaphore(value: 0)
    group.enter()
    DispatchQueue.global().async {
      count.set(1)
      group.leave()
      ended.signal()
    }
    group.wait()
    let seen = count.value
    ended.wait()
    try expect(seen == 1, "the group was empty before its block began")
  },

  Program(
    "notified-after-the-first", "a group is left by its first download before the second enters",
    .failsInSomeOrder(.violation), twin: "all downloads enter before the first one begins"
  ) {
    let (group, loaded, seen) = (DispatchGroup(), Guarded(0), Guarded<Int?>(nil))
    let (queue, notified) = (DispatchQueue.global(), DispatchSemaphore(value: 0))
    let all = DispatchGroup()
    group.enter()
    queue.async(group: all) {
      loaded.update { $0 += 1 }
      group.leave()
    }
    group.notify(queue: queue) {
      seen.set(loaded.value)
      notified.signal()
    }
    group.enter()
    queue.async(group: all) {
      loaded.update { $0 += 1 }
      group.leave()
    }
    notified.wait()
    all.wait()
    try expect(seen.value == 2, "the notification saw \(seen.value ?? 0) of 2 downloads")
  } right: {
    let (group, loaded, seen) = (DispatchGroup(), Guarded(0), Guarded<Int?>(nil))
    let (queue, notified) = (DispatchQueue.global(), DispatchSemaphore(value: 0))
    group.enter()
    group.enter()
    for _ in 0..<2 {
      queue.async {
        loaded.update { $0 += 1 }
        group.leave()
      }
    }
    group.notify(queue: queue) {
      seen.set(loaded.value)
      notified.signal()
    }
    notified.wait()
    try expect(seen.value == 2, "the notification saw \(seen.value ?? 0) of 2 downloads")
  },

  Program(
    "left-before-the-result", "a block leaves its group before it stores its result",
    .failsInSomeOrder(.violation), twin: "the block stores its result before it leaves the group"
  ) {
    let (group, result) = (DispatchGroup(), Guarded<Int?>(nil))
    group.enter()
    DispatchQueue.global().async {
      group.leave()
      result.set(1)
    }
    group.wait()
    try expect(result.value == 1, "the group was empty before the result was stored")
  } right: {
    let (group, result) = (DispatchGroup(), Guarded<Int?>(nil))
    group.enter()
    DispatchQueue.global().async {
      result.set(1)
      group.leave()
    }
    group.wait()
    try expect(result.value == 1, "the group was empty before the result was stored")
  },
]
