import Dispatch
internal import Foundation
import Interlock

extension PINOperationQueue {
  /// Blocks until every operation has ended, those that are scheduled meanwhile too.
  ///
  /// As shipped, a call from within an operation never returns: that operation has not ended.
  package func waitUntilAllOperationsAreFinished() {
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

  /// Waits until no queue is at work on an operation any more: `waitUntilAllOperationsAreFinished`
  /// returns when the last has left the group, as it may not have done for the last time.
  package func settle() {
    repeat {
      semaphoreQueue.sync {}
      serialQueue.sync {}
      concurrentQueue.sync(flags: .barrier) {}
    } while locked { serialQueueBusy || queued.first != nil }
  }
}

/// Who has not ended, and who of them waits for the others: what an operation needs to wait without
/// waiting for itself.
///
/// `@unchecked Sendable`: the counts are only touched under `condition`.
final class HelpingWait: @unchecked Sendable {
  /// The queue whose operation the current thread is in.
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

  /// Blocks until all that have not ended wait here.
  ///
  /// - Parameter help: Runs one operation that nobody has started yet; says whether there was one.
  func wait(helping help: () -> Bool) {
    condition.lock()
    defer { condition.unlock() }
    waiting += 1
    // One that waits may be what another waited for.
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
