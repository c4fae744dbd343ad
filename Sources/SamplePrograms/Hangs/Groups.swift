import Dispatch
import Foundation
import Programs

/// Groups, work items and operations that never complete, or are waited for from inside.
let groupPrograms: [Program] = [
  Program(
    "group-not-left", "one of three requests returns early, without leaving its DispatchGroup",
    .hangs(.lostWakeUp),
    source: "dispatch_group_enter(3): each enter needs a leave, on early returns too",
    groupNotLeft),
  Program(
    "group-waited-for-inside", "a block of a group waits for the group", .hangs(.itself),
    source: "dispatch_group_wait(3) in a block of the group", groupWaitedForInside),
  Program(
    "work-item-waits-for-itself", "a DispatchWorkItem waits for its own end", .hangs(.itself),
    source: "dispatch_block_wait(3) in the block itself",
    workItemWaitsForItself),
  Program(
    "operation-waits-behind", "an operation of a serial OperationQueue waits for a later one",
    .hangs(.lostWakeUp), source: "waitUntilFinished() on an operation of the own serial queue",
    operationWaitsBehind),
]

/// Wrong: `leave` belongs in a `defer`. "DispatchGroup never notifies", a common question on Stack
/// Overflow.
private func groupNotLeft() {
  let requests = DispatchGroup()
  for number in 0..<3 {
    requests.enter()
    DispatchQueue.global().async {
      guard number != 1 else { return }
      requests.leave()
    }
  }
  requests.wait()
}

/// Wrong: the group completes when this block has ended, and the block ends when the group
/// completes.
private func groupWaitedForInside() {
  let queue = DispatchQueue(label: "steps", attributes: .concurrent)
  let steps = DispatchGroup()
  queue.async(group: steps) {}
  queue.async(group: steps) {
    steps.wait()
  }
  steps.wait()
}

/// Wrong: the work item waits for its own end, as the block of the group above does.
private func workItemWaitsForItself() {
  final class Job: @unchecked Sendable {
    var item: DispatchWorkItem?
  }

  let queue = DispatchQueue(label: "jobs")
  let job = Job()
  let item = DispatchWorkItem { job.item?.wait() }
  job.item = item
  queue.async(execute: item)
  queue.sync {}
}

/// Wrong: the queue runs one operation at a time, and that operation waits for the next one.
private func operationWaitsBehind() {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 1
  queue.addOperation {
    let upload = BlockOperation {}
    queue.addOperation(upload)
    upload.waitUntilFinished()
  }
  queue.waitUntilAllOperationsAreFinished()
}
