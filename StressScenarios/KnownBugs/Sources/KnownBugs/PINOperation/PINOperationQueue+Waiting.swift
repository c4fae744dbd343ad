import Dispatch
import Foundation
import Interlock

extension PINOperationQueue {
  /// Blocks until every operation has ended, including those scheduled meanwhile.
  ///
  /// As shipped, a call from within an operation never returns: that operation has not ended.
  func waitUntilAllOperationsAreFinished() {
    scheduleNextOperations(onlySerial: false)
    guard let helpers, HelpingWait.inside == ObjectIdentifier(self) else {
      group.wait()
      return
    }
    helpers.wait {
      guard let operation = self.locked({ self.nextByAge() }) else { return false }
      self.run(operation)
      return true
    }
  }

  /// Waits until the queues are idle. `waitUntilAllOperationsAreFinished` is not enough: it returns
  /// when the last operation leaves the group, before its queue is done with it.
  func settle() {
    repeat {
      semaphoreQueue.sync {}
      serialQueue.sync {}
      concurrentQueue.sync(flags: .barrier) {}
    } while locked { serialQueueBusy || queued.first != nil }
  }
}

/// Counts unfinished and waiting operations, so that an operation can wait for all others but not
/// for itself.
///
/// `@unchecked Sendable`: the counts are only touched under `condition`.
final class HelpingWait: @unchecked Sendable {
  /// The queue whose operation the current thread runs.
  @TaskLocal static var inside: ObjectIdentifier?

  private let condition = NSCondition()
  private var unfinished = 0
  private var waiting = 0
  private var changes = 0

  func operationWasAdded() { change(by: 1) }

  func operationHasEnded() { change(by: -1) }

  private func change(by difference: Int) {
    condition.withLock {
      unfinished += difference
      changes += 1
      condition.broadcast()
    }
  }

  /// Blocks until every unfinished operation waits here; `help` runs one operation that has not
  /// started, and returns whether there was one.
  func wait(helping help: () -> Bool) {
    condition.lock()
    defer { condition.unlock() }
    waiting += 1
    // Another waiter may have been waiting for the operation that waits here.
    condition.broadcast()
    while unfinished > waiting {
      let seen = changes
      condition.unlock()
      let helped = help()
      condition.lock()
      guard !helped else { continue }
      while changes == seen, unfinished > waiting { condition.wait() }
    }
    waiting -= 1
  }
}
