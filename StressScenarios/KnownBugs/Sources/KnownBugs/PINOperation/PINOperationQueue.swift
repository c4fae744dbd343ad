import Dispatch
import Interlock
import LockStrategies

/// A queue of operations with priorities, coalescing and cancellation; PINCache 3 runs its
/// asynchronous calls on it.
///
/// A model of PINOperationQueue.m of PINOperation 1.2.2 (40504c1), function by function:
/// `scheduleOperation:withPriority:identifier:coalescingData:dataCoalescingBlock:completion:`,
/// `setOperationPriority:withReference:`, `locked_cancelOperation:`, `locked_removeOperation:`,
/// `scheduleNextOperations:`, `setMaxConcurrentOperations:` and
/// `waitUntilAllOperationsAreFinished`; without the repair `.identifierLeavesWithOperation` it
/// models version 1.1.2, which lacks 8730a96.
///
/// All state is under one recursive mutex, so that an operation may schedule others. Operations run
/// on two queues. A serial one takes the oldest of any priority, so that low priorities do not
/// starve. A concurrent one takes the first of the highest priority; a semaphore, on which a
/// separate serial queue waits, limits it to one less than the maximum. `data` and completions are
/// read without the lock while an operation runs.
///
/// `@unchecked Sendable`: every `var` is only touched under `lock`, in `locked(_:)`.
final class PINOperationQueue: @unchecked Sendable {
  /// Which operations go first on the concurrent queue.
  enum Priority: Sendable { case low, `default`, high }

  /// Identifies a scheduled operation.
  struct Reference: Hashable, Sendable {
    let number: Int
  }

  /// Combines the data of the waiting operation and the new request.
  typealias Coalescing =
    @Sendable (_ existing: (any Sendable)?, _ new: (any Sendable)?) -> (any Sendable)?

  /// The repairs; the empty set is version 1.1.2.
  struct Repairs: OptionSet, Sendable {
    let rawValue: Int

    /// An operation leaves the table of identifiers when it is taken to run or cancelled, so that
    /// no request joins one whose completions have been called. Source: PINOperation pull request
    /// 24 (8730a96).
    static let identifierLeavesWithOperation = Repairs(rawValue: 1)
    /// A new priority applies to waiting operations only: a running one is not queued again. No
    /// upstream report; found by reading.
    static let priorityOfWaitingOnly = Repairs(rawValue: 2)
    /// An operation that waits for all operations runs queued ones meanwhile, and does not wait for
    /// other waiting ones. The header forbids the call instead; the idea is that of Java's
    /// `ForkJoinTask.helpQuiesce`.
    static let waitHelps = Repairs(rawValue: 4)
    /// A higher maximum is signalled at once, not behind an operation that waits for a place. And
    /// the semaphore starts at zero and is signalled up to its value, because libdispatch traps
    /// when it frees a semaphore below its initial value. No upstream report; found by reading and
    /// trying.
    static let maximumChangesSafely = Repairs(rawValue: 8)

    /// Version 1.2.2, the newest.
    static let version1_2_2: Repairs = [.identifierLeavesWithOperation]
    /// All of them.
    static let all: Repairs = [
      .identifierLeavesWithOperation, .priorityOfWaitingOnly, .waitHelps, .maximumChangesSafely,
    ]
  }

  let repairs: Repairs
  let group = DispatchGroup()
  let serialQueue = DispatchQueue(label: "PINOperationQueue Serial Queue")
  let concurrentQueue = DispatchQueue(
    label: "PINOperationQueue Concurrent Queue", attributes: .concurrent)
  let semaphoreQueue = DispatchQueue(label: "PINOperationQueue Serial Semaphore Queue")
  let concurrentSemaphore: DispatchSemaphore
  /// `nil` without the repair that needs it.
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

  /// A queue that runs a limited number of operations at once. With a limit of one, operations run
  /// in the order in which they were scheduled, without regard to priorities.
  init(maxConcurrentOperations: Int, repairs: Repairs = .version1_2_2) {
    precondition(maxConcurrentOperations > 0, "at least one operation must be allowed at once")
    self.repairs = repairs
    helpers = repairs.contains(.waitHelps) ? HelpingWait() : nil
    maximum = maxConcurrentOperations
    // One less, because the serial queue runs one.
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

  @discardableResult
  func schedule(
    priority: Priority = .default, _ block: @escaping @Sendable () -> Void
  ) -> Reference {
    schedule(priority: priority, identifier: nil) { _ in block() }
  }

  /// Schedules an operation, or joins the one that waits under the same identifier.
  ///
  /// When joining, priority and block are not used, `coalesce` combines the data, without which the
  /// waiting operation keeps its own, and the older operation's reference is returned. `completion`
  /// is called after the operation has run, on its thread; not if it is cancelled.
  @discardableResult
  func schedule(
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

  /// Removes freed operations from time to time, as a table of weak objects does by itself.
  private func pruneTables() {
    guard byReference.count + byIdentifier.count >= pruneAt else { return }
    byReference = byReference.filter { $0.value.operation != nil }
    byIdentifier = byIdentifier.filter { $0.value.operation != nil }
    pruneAt = max(64, 2 * (byReference.count + byIdentifier.count))
  }
}
