import Foundation

/// Two operations behind another one, the second of them with a higher priority. Notes the order.
private func runOperations(suspended: Bool) -> Bool {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 1
  let log = Shared("")
  let low = BlockOperation { log.value += "l" }
  let high = BlockOperation { log.value += "h" }
  high.queuePriority = .high
  queue.isSuspended = suspended
  queue.addOperation { log.value += "0" }
  queue.addOperation(low)
  queue.addOperation(high)
  queue.isSuspended = false
  queue.waitUntilAllOperationsAreFinished()
  Outcomes.note(log.value)
  return true
}

/// Globals whose initialisers take locks, or perform no operation.
private enum Globals {
  static let lock = NSLock()
  static let ofLock: [String: Int] = lock.withLock { ["a": 1] }
  static let ofOther: [String: Int] = otherLock.withLock { ["a": 1] }
  static let otherLock = NSLock()
  static let free: [String: Int] = ["a": Int(String(1)) ?? 0]
}

/// Calls of Foundation, and initialisers of globals.
let libraryBodies = [
  Body("operation-priorities") { runOperations(suspended: false) },
  Body("operation-priorities-suspended") { runOperations(suspended: true) },
  Body("global-locks-what-its-user-holds") {
    _ = Globals.lock
    runThreads(
      { _ = Globals.ofLock["a"] }, { Globals.lock.withLock { _ = Globals.ofLock["b"] } })
    return true
  },
  Body("global-locks-another") {
    runThreads(
      { _ = Globals.ofOther["a"] }, { Globals.lock.withLock { _ = Globals.ofOther["b"] } })
    return true
  },
  Body("global-without-operations") {
    runThreads(
      { _ = Globals.free["a"] }, { Globals.lock.withLock { _ = Globals.free["b"] } })
    return true
  },
]
