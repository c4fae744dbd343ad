import Dispatch
import Foundation

/// Groups, work items and operations that never complete, or are waited for from inside.
let groupPrograms: [HangProgram] = [
  HangProgram(
    "group-not-left", "one of three requests returns early, without leaving its DispatchGroup",
    groupNotLeft),
  HangProgram(
    "group-waited-for-inside", "a block of a group waits for the group", groupWaitedForInside),
  HangProgram(
    "work-item-waits-for-itself", "a DispatchWorkItem waits for its own end",
    workItemWaitsForItself),
  HangProgram(
    "operation-waits-behind", "an operation of a serial OperationQueue waits for a later one",
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

/// Wrong: as with the group, with one block.
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
