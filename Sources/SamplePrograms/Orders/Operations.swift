import Dispatch
import Foundation
import Programs

/// Operations and their dependencies.
let operationPrograms: [Program] = [
  Program(
    "dependent-before-completion", "an operation needs what a completion block does before it",
    .failsInSomeOrder(.violation), twin: "the operation itself does it, and no completion block",
    source: "Operation.completionBlock: it runs after the operation has finished, on any thread"
  ) {
    let (parsed, seen) = (Guarded(false), Guarded(false))
    let (load, show) = (BlockOperation {}, BlockOperation { seen.set(parsed.value) })
    let completed = DispatchSemaphore(value: 0)
    load.completionBlock = {
      parsed.set(true)
      completed.signal()
    }
    show.addDependency(load)
    let queue = OperationQueue()
    queue.addOperations([load, show], waitUntilFinished: true)
    completed.wait()
    try expect(seen.value, "the dependent operation ran before the completion block")
  } right: {
    let (parsed, seen) = (Guarded(false), Guarded(false))
    let (load, show) = (
      BlockOperation { parsed.set(true) }, BlockOperation { seen.set(parsed.value) }
    )
    show.addDependency(load)
    let queue = OperationQueue()
    queue.addOperations([load, show], waitUntilFinished: true)
    try expect(seen.value, "the dependent operation ran before the completion block")
  },

  Program(
    "cancelled-operation-begins", "an operation begins after it was found not to be executing",
    .failsInSomeOrder(.violation), twin: "an operation that depends on the first one releases"
  ) {
    let (isReleased, usedAfter) = (Guarded(false), Guarded(false))
    let operation = BlockOperation { if isReleased.value { usedAfter.set(true) } }
    let queue = OperationQueue()
    queue.addOperation(operation)
    if !operation.isExecuting { isReleased.set(true) }
    queue.waitUntilAllOperationsAreFinished()
    try expect(!usedAfter.value, "the operation used what was released")
  } right: {
    let (isReleased, usedAfter) = (Guarded(false), Guarded(false))
    let operation = BlockOperation { if isReleased.value { usedAfter.set(true) } }
    let release = BlockOperation { isReleased.set(true) }
    release.addDependency(operation)
    let queue = OperationQueue()
    queue.addOperations([operation, release], waitUntilFinished: true)
    try expect(!usedAfter.value, "the operation used what was released")
  },

  Program(
    "operations-without-dependency", "two operations of a queue are expected to run in their order",
    .failsInSomeOrder(.violation), twin: "the second operation depends on the first"
  ) {
    let (queue, log) = (OperationQueue(), Guarded([Int]()))
    let (first, second) = (
      BlockOperation { log.update { $0.append(1) } }, BlockOperation { log.update { $0.append(2) } }
    )
    queue.addOperations([first, second], waitUntilFinished: true)
    try expect(log.value == [1, 2], "the operations ran as \(log.value)")
  } right: {
    let (queue, log) = (OperationQueue(), Guarded([Int]()))
    let (first, second) = (
      BlockOperation { log.update { $0.append(1) } }, BlockOperation { log.update { $0.append(2) } }
    )
    second.addDependency(first)
    queue.addOperations([first, second], waitUntilFinished: true)
    try expect(log.value == [1, 2], "the operations ran as \(log.value)")
  },
]
