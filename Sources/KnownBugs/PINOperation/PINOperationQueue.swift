package import Dispatch
import Interlock
import LockStrategies

/// A queue of operations with priorities, coalescing and cancellation, as PINCache 3 runs its
/// asynchronous calls on.
///
/// A model of PINOperationQueue.m of PINOperation 1.2.2 (40504c1), function by function:
/// `scheduleOperation:withPriority:identifier:coalescingData:dataCoalescingBlock:completion:`,
/// `setOperationPriority:withReference:`, `locked_cancelOperation:`, `locked_removeOperation:`,
/// `scheduleNextOperations:`, `setMaxConcurrentOperations:` and
/// `waitUntilAllOperationsAreFinished`; without the repair `.identifierLeavesWithOperation` it is
/// version 1.1.2, which lacks 8730a96.
///
/// All state is under one recursive mutex, so that an operation may schedule others. Operations run
/// on two queues: a serial one takes the oldest, whatever its priority, so that a low one is not
/// starved; a concurrent one takes the first of the highest priority, and is kept to one less than
/// the maximum by a semaphore, which a serial queue of its own waits on. `data` and completions are
/// read without the lock while an operation runs.
///
/// `@unchecked Sendable`: every `var` is only touched under `lock`, in `locked(_:)`.
package final class PINOperationQueue: @unchecked Sendable {
  /// Which operations go first on the concurrent queue.
  package enum Priority: Int, Sendable, CaseIterable {
    /// When nothing else is waiting.
    case low
    /// As most.
    case `default`
    /// Before all others.
    case high
  }

  /// What a scheduled operation is called by.
  package struct Reference: Hashable, Sendable {
    let number: Int
  }

  /// Makes one datum of the waiting operation's and the new request's.
  package typealias Coalescing =
    @Sendable (_ existing: (any Sendable)?, _ new: (any Sendable)?) -> (any Sendable)?

  /// What is mended; nothing is version 1.1.2.
  package struct Repairs: OptionSet, Sendable {
    /// One bit for each repair.
    package let rawValue: Int

    /// A set of repairs by their bits.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// An operation's identifier goes together with the operation when it is taken to be run or
    /// cancelled, so that nobody joins one whose completions have been called. Source: PINOperation
    /// pull request 24 (8730a96).
    package static let identifierLeavesWithOperation = Repairs(rawValue: 1)
    /// A new priority is for operations that still wait: one that is running is not queued again.
    /// No upstream report; found by reading.
    package static let priorityOfWaitingOnly = Repairs(rawValue: 2)
    /// An operation that waits for all operations runs what is queued meanwhile, and does not wait
    /// for those that wait likewise. The header forbids the call instead; the idea is that of
    /// Java's `ForkJoinTask.helpQuiesce`.
    package static let waitHelps = Repairs(rawValue: 4)
    /// A higher maximum is signalled at once, and not behind an operation that waits for a place;
    /// and the semaphore begins at zero and is signalled up to its value, so that a lower maximum
    /// leaves it no lower than it began: libdispatch traps when it frees such a one. No upstream
    /// report; found by reading and trying.
    package static let maximumChangesSafely = Repairs(rawValue: 8)

    /// Version 1.2.2, the newest.
    package static let version1_2_2: Repairs = [.identifierLeavesWithOperation]
    /// All of them.
    package static let all: Repairs = [
      .identifierLeavesWithOperation, .priorityOfWaitingOnly, .waitHelps, .maximumChangesSafely,
    ]
  }

  let repairs: Repairs
  let group = DispatchGroup()
  let serialQueue = DispatchQueue(label: "PINOperationQueue Serial Queue")
  let concurrentQueue: DispatchQueue
  let semaphoreQueue = DispatchQueue(label: "PINOperationQueue Serial Semaphore Queue")
  let concurrentSemaphore: DispatchSemaphore
  /// Only there with the repair that needs it.
  let helpers: HelpingWait?

  // Recursive, as a pthread mutex with that attribute: an operation may schedule others.
  private let lock = RecursiveFoundationLock()
  private let state = Section("pinoperationqueue.state")
  private var lastReference = 0
  var maximum: Int
  var serialQueueBusy = false
  var queued = OrderedOperations()
  var byPriority: [Priority: OrderedOperations] = [:]
  var byReference: [Reference: WeakOperation] = [:]
  var byIdentifier: [String: WeakOperation] = [:]
  private var pruneAt = 64

  /// Makes a queue that runs at most so many operations at once.
  ///
  /// - Parameters:
  ///   - maxConcurrentOperations: How many may run at once, at least one. With one the operations
  ///     run in the order in which they were scheduled, without regard to priorities.
  ///   - concurrentQueue: Where all but one of them run; a concurrent queue of its own where none
  ///     is given.
  ///   - repairs: What is mended; the newest version where nothing is said.
  package init(
    maxConcurrentOperations: Int, concurrentQueue: DispatchQueue? = nil,
    repairs: Repairs = .version1_2_2
  ) {
    precondition(maxConcurrentOperations > 0, "at least one operation must be allowed at once")
    self.repairs = repairs
    helpers = repairs.contains(.waitHelps) ? HelpingWait() : nil
    maximum = maxConcurrentOperations
    self.concurrentQueue =
      concurrentQueue
      ?? DispatchQueue(label: "PINOperationQueue Concurrent Queue", attributes: .concurrent)
    // One less: the serial queue makes up the number.
    let width = maxConcurrentOperations - 1
    if repairs.contains(.maximumChangesSafely) {
      concurrentSemaphore = DispatchSemaphore(value: 0)
      for _ in 0..<width { concurrentSemaphore.signal() }
    } else {
      concurrentSemaphore = DispatchSemaphore(value: width)
    }
  }

  func locked<R>(_ body: () -> R) -> R {
    lock.withLock { state.write(synched: true, body) }
  }

  /// Schedules an operation.
  @discardableResult
  package func schedule(
    priority: Priority = .default, _ block: @escaping @Sendable () -> Void
  ) -> Reference {
    schedule(priority: priority, identifier: nil) { _ in block() }
  }

  /// Schedules an operation, or joins the one that waits under the same identifier.
  ///
  /// - Parameters:
  ///   - priority: Which operations go first; of no account when joining.
  ///   - identifier: What operations that do the same are called; `nil` for one that nobody joins.
  ///   - data: What `block` gets.
  ///   - coalesce: Makes the datum when joining; without it the waiting operation keeps its own.
  ///   - completion: Called after the operation has run, on its thread; not if it is cancelled.
  ///   - block: The work; not used when joining.
  /// - Returns: The operation, which is an older one when joining.
  @discardableResult
  package func schedule(
    priority: Priority = .default, identifier: String?, data: (any Sendable)? = nil,
    coalesce: Coalescing? = nil, completion: (@Sendable () -> Void)? = nil,
    _ block: @escaping @Sendable (_ data: (any Sendable)?) -> Void
  ) -> Reference {
    let (reference, isNew) = locked {
      if let identifier, let operation = byIdentifier[identifier]?.operation {
        operation.join(data: data, coalesce: coalesce, completion: completion)
        return (operation.reference, false)
      }
      lastReference += 1
      let operation = PINOperation(
        block, reference: Reference(number: lastReference), priority: priority,
        identifier: identifier, data: data, completion: completion)
      add(operation)
      return (operation.reference, true)
    }
    if isNew { scheduleNextOperations(onlySerial: false) }
    return reference
  }

  /// Called with the lock held.
  private func add(_ operation: PINOperation) {
    group.enter()
    helpers?.operationWasAdded()
    byPriority[operation.priority, default: OrderedOperations()].append(operation)
    queued.append(operation)
    pruneTables()
    byReference[operation.reference] = WeakOperation(operation: operation)
    if let identifier = operation.identifier {
      byIdentifier[identifier] = WeakOperation(operation: operation)
    }
  }

  /// Forgets operations that are no more, now and then, as a table of weak objects does by itself.
  private func pruneTables() {
    guard byReference.count + byIdentifier.count >= pruneAt else { return }
    byReference = byReference.filter { $0.value.operation != nil }
    byIdentifier = byIdentifier.filter { $0.value.operation != nil }
    pruneAt = max(64, 2 * (byReference.count + byIdentifier.count))
  }
}
