import Dispatch
import Interlock

extension PINOperationQueue {
  /// Starts the oldest operation on the serial queue if that is free, and the first of the highest
  /// priority on the concurrent one: the original's `scheduleNextOperations:`.
  func scheduleNextOperations(onlySerial: Bool) {
    let maximum = locked {
      if !serialQueueBusy, let operation = nextByAge() {
        serialQueueBusy = true
        serialQueue.async {
          self.run(operation)
          self.locked { self.serialQueueBusy = false }
          self.scheduleNextOperations(onlySerial: true)
        }
      }
      return self.maximum
    }
    if onlySerial || maximum < 2 { return }
    semaphoreQueue.async {
      self.concurrentSemaphore.wait()
      guard let operation = self.locked({ self.nextByPriority() }) else {
        self.concurrentSemaphore.signal()
        return
      }
      self.concurrentQueue.async {
        self.run(operation)
        self.concurrentSemaphore.signal()
      }
    }
  }

  /// Runs an operation that was taken out of the queues, and calls its completions.
  func run(_ operation: PINOperation) {
    SYNC_POINT("pinoperationqueue.run.beforeBlock")
    if helpers != nil {
      HelpingWait.$inside.withValue(ObjectIdentifier(self)) { operation.run() }
    } else {
      operation.run()
    }
    SYNC_POINT("pinoperationqueue.run.afterBlock")
    operation.complete()
    SYNC_POINT("pinoperationqueue.run.afterCompletions")
    helpers?.operationHasEnded()
    group.leave()
  }

  /// Takes the operation that was scheduled first. Called with the lock held.
  func nextByAge() -> PINOperation? {
    guard let operation = queued.first else { return nil }
    remove(operation)
    return operation
  }

  /// Takes the first operation of the highest priority. Called with the lock held.
  private func nextByPriority() -> PINOperation? {
    for priority in [Priority.high, .default, .low] {
      if let operation = byPriority[priority]?.first {
        remove(operation)
        return operation
      }
    }
    return nil
  }

  /// Takes an operation out of the queues, if it is there. Called with the lock held.
  @discardableResult
  private func remove(_ operation: PINOperation) -> Bool {
    guard byPriority[operation.priority]?.contains(operation) == true else { return false }
    byPriority[operation.priority]?.remove(operation)
    queued.remove(operation)
    // In version 1.1.2 the identifier stays in the weak table as long as the operation lives: also
    // while it runs, and after its completions were called.
    if let identifier = operation.identifier, repairs.contains(.identifierLeavesWithOperation) {
      byIdentifier[identifier] = nil
    }
    return true
  }

  /// Cancels an operation that has not started, whose completions are then never called; returns
  /// whether it did.
  @discardableResult
  func cancel(_ reference: Reference) -> Bool {
    locked { cancelLocked(reference) }
  }

  /// Cancels all operations that have not started.
  func cancelAll() {
    locked { for reference in byReference.keys { cancelLocked(reference) } }
  }

  @discardableResult
  private func cancelLocked(_ reference: Reference) -> Bool {
    guard let operation = byReference[reference]?.operation, remove(operation) else { return false }
    helpers?.operationHasEnded()
    group.leave()
    return true
  }

  /// Changes an operation's priority, and queues it behind the others of that priority.
  ///
  /// As shipped this queues a running operation again, in the queue by priority: it then runs
  /// twice, and leaves the group twice.
  func setPriority(_ priority: Priority, of reference: Reference) {
    locked {
      guard let operation = byReference[reference]?.operation, operation.priority != priority
      else { return }
      if repairs.contains(.priorityOfWaitingOnly), !queued.contains(operation) { return }
      byPriority[operation.priority]?.remove(operation)
      operation.priority = priority
      byPriority[priority, default: OrderedOperations()].append(operation)
    }
  }

  /// How many operations may run at once; a lower number takes effect once operations that are
  /// running have ended.
  var maxConcurrentOperations: Int {
    get { locked { maximum } }
    set {
      precondition(newValue > 0, "at least one operation must be allowed at once")
      let difference = locked {
        defer { maximum = newValue }
        return newValue - maximum
      }
      if difference > 0, repairs.contains(.maximumChangesSafely) {
        for _ in 0..<difference { concurrentSemaphore.signal() }
      } else if difference != 0 {
        semaphoreQueue.async { self.changeWidth(by: difference) }
      }
    }
  }

  private func changeWidth(by difference: Int) {
    for _ in 0..<abs(difference) {
      if difference > 0 {
        concurrentSemaphore.signal()
      } else {
        concurrentSemaphore.wait()
      }
    }
  }
}
