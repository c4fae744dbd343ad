import Dispatch
import LockStrategies

/// Operations that start together, with one completion for all of them.
///
/// A model of PINOperationGroup.m of PINOperation 1.2.2: `start`, `cancel`,
/// `addOperation:withPriority:`, `setCompletion:`, `waitUntilComplete`. State is under a mutex of
/// the default kind, which `start` holds while it schedules on the queue; the completion is called
/// outside it, on a global queue or on the waiting thread.
///
/// `@unchecked Sendable`: every `var` is only touched under `lock`.
final class PINOperationGroup: @unchecked Sendable {
  struct Reference: Hashable, Sendable {
    let number: Int
  }

  private struct Member {
    var reference: Reference
    var priority: PINOperationQueue.Priority
    var block: @Sendable () -> Void
  }

  private let lock = PthreadMutexLock()
  private let queue: PINOperationQueue
  private let group = DispatchGroup()
  private let repaired: Bool
  // `nil` once started, as in the original, where adding to it then does nothing.
  private var members: [Member]? = []
  private var scheduled: [Reference: PINOperationQueue.Reference] = [:]
  private var lastReference = 0
  private var completion: (@Sendable () -> Void)?
  private var isStarted = false
  private var isCancelled = false

  /// An empty group. Repaired, a started group refuses further operations; as shipped it returns a
  /// reference for an operation that never runs. Source: PINOperation pull request 22 (c49b7a5),
  /// not merged.
  init(queue: PINOperationQueue, repaired: Bool = false) {
    self.queue = queue
    self.repaired = repaired
  }

  /// Adds an operation; returns `nil` if the group has started or was cancelled.
  @discardableResult
  func addOperation(
    priority: PINOperationQueue.Priority = .default, _ block: @escaping @Sendable () -> Void
  ) -> Reference? {
    lock.withLock {
      guard !isStarted, !isCancelled else { return nil }
      lastReference += 1
      let reference = Reference(number: lastReference)
      members?.append(Member(reference: reference, priority: priority, block: block))
      return reference
    }
  }

  /// Sets the block that is called once after all operations have ended; not if the group is
  /// cancelled.
  func setCompletion(_ newCompletion: (@Sendable () -> Void)?) {
    lock.withLock {
      guard !isStarted, !isCancelled else { return }
      completion = newCompletion
    }
  }

  /// Schedules all operations. Does nothing for a group that was cancelled.
  func start() {
    lock.withLock {
      guard !isStarted, !isCancelled else { return }
      isStarted = repaired
      for member in members ?? [] {
        group.enter()
        scheduled[member.reference] = queue.schedule(priority: member.priority) { [group] in
          member.block()
          group.leave()
        }
      }
      if completion != nil {
        group.notify(queue: .global()) { self.runCompletionOnce() }
      }
      members = nil
    }
  }

  /// Cancels operations that have not started; the completion is no longer called, unless its call
  /// has begun.
  func cancel() {
    lock.withLock {
      isCancelled = true
      for reference in scheduled.values where queue.cancel(reference) { group.leave() }
      scheduled = [:]
      members?.removeAll()
      completion = nil
    }
  }

  /// Starts the group if necessary, and blocks until all operations have ended. Calls the
  /// completion, unless another thread has begun to.
  func waitUntilComplete() {
    start()
    group.wait()
    runCompletionOnce()
  }

  private func runCompletionOnce() {
    let completion = lock.withLock {
      defer { self.completion = nil }
      return self.completion
    }
    completion?()
  }
}
