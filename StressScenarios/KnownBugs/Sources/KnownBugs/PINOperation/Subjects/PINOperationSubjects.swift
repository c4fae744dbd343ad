import Dispatch
import InterlockStress
import LockStrategies

/// PINOperationQueue in its versions. It is no cache, so it has only its own calls.
let pinOperationSubjects: [SubjectEntry] = [
  pinOperation("pin-operation-1-1", "PINOperationQueue 1.1.2, where late requests join", []),
  pinOperation("pin-operation", "PINOperationQueue 1.2.2, the newest", .version1_2_2),
  pinOperation("pin-operation-repaired", "PINOperationQueue with all repairs", .all),
]

private func pinOperation(
  _ name: String, _ summary: String, _ repairs: PINOperationQueue.Repairs
) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: "PINOperation",
    actions: PINOperationSubject.Action.allCases.map(\.rawValue), runsUnlisted: false
  ) { PINOperationSubject(repairs) }
}

/// A PINOperationQueue of two places as a subject. The key of a call is an operation's identifier,
/// or names it for later calls.
private final class PINOperationSubject: Subject, @unchecked Sendable {
  enum Action: String, CaseIterable {
    /// Schedules an operation; completes when it has run.
    case schedule
    /// Schedules an operation with the key as identifier, or joins one; completes by its
    /// completion.
    case coalesce
    /// Schedules an operation; completes at once.
    case start
    /// Gives the key's last operation a high priority.
    case raise
    /// Cancels the key's last operation, if it has not started.
    case cancel
    /// Waits for all operations.
    case wait
    /// Schedules an operation that waits for all operations; completes when it has.
    case waitInside = "wait-inside"
    /// Schedules an operation that waits until three such have started; completes then.
    case meet
    /// Allows three operations at once.
    case raiseMaximum = "raise-maximum"
    /// Allows only one operation at once.
    case lowerMaximum = "lower-maximum"
    /// Replaces the queue by a new one.
    case replace
  }

  private let repairs: PINOperationQueue.Repairs
  private let meeting = DispatchGroup()
  private let lock = PthreadMutexLock()
  // Unchecked: all below is only touched under `lock`.
  private var queue: PINOperationQueue
  private var references: [String: PINOperationQueue.Reference] = [:]
  private var arrived = 0
  private var lastRequest = 0
  private var expectedRuns = 0
  private var runs = 0
  private var requests: [PINOperationQueue.Reference: Int] = [:]
  private var events: [FinalState.Event] = []

  init(_ repairs: PINOperationQueue.Repairs) {
    self.repairs = repairs
    queue = PINOperationQueue(maxConcurrentOperations: 2, repairs: repairs)
    for _ in 0..<3 { meeting.enter() }
  }

  func supports(_ kind: InterlockStress.Operation.Kind) -> Bool {
    guard case .action(let name) = kind else { return false }
    return Action(rawValue: name) != nil
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    guard case .action(let name) = operation.kind, let action = Action(rawValue: name) else {
      preconditionFailure("it has no such call, and says so in `supports`")
    }
    let (queue, reference) = lock.withLock { (self.queue, references[operation.key]) }
    switch action {
    case .schedule: schedule(operation.key) { completion(.done) }
    case .coalesce:
      // The queue decides whether it runs or joins, so its runs are not counted.
      queue.schedule(identifier: operation.key, completion: { completion(.done) }) { _ in }
    case .start:
      schedule(operation.key) {}
      completion(.done)
    case .raise:
      if let reference { queue.setPriority(.high, of: reference) }
      completion(.done)
    case .cancel:
      if let reference { cancel(reference, of: queue) }
      completion(.done)
    case .wait:
      queue.waitUntilAllOperationsAreFinished()
      completion(.done)
    case .waitInside:
      queue.schedule {
        queue.waitUntilAllOperationsAreFinished()
        completion(.done)
      }
    case .meet:
      queue.schedule { [meeting] in
        meeting.leave()
        meeting.wait()
        completion(.done)
      }
    case .raiseMaximum:
      queue.maxConcurrentOperations = 3
      completion(.done)
    case .lowerMaximum:
      queue.maxConcurrentOperations = 1
      completion(.done)
    case .replace:
      queue.settle()
      lock.withLock {
        self.queue = PINOperationQueue(maxConcurrentOperations: 2, repairs: repairs)
      }
      completion(.done)
    }
  }

  /// Schedules an operation that counts its runs; `done` is called after each.
  private func schedule(_ key: String, _ done: @escaping @Sendable () -> Void) {
    lock.withLock {
      lastRequest += 1
      expectedRuns += 1
      let request = lastRequest
      // Calling the queue under this lock is safe: `schedule` calls no block on this thread.
      let reference = queue.schedule { [weak self] in
        self?.noteRun(of: request)
        done()
      }
      references[key] = reference
      requests[reference] = request
    }
  }

  private func noteRun(of request: Int) {
    lock.withLock {
      runs += 1
      events.append(.calledBack(request: request))
    }
  }

  private func cancel(_ reference: PINOperationQueue.Reference, of queue: PINOperationQueue) {
    guard queue.cancel(reference) else { return }
    lock.withLock {
      expectedRuns -= 1
      if let request = requests[reference] { events.append(.cancelled(request: request)) }
    }
  }

  func finalState() -> FinalState? {
    let queue = lock.withLock { self.queue }
    queue.waitUntilAllOperationsAreFinished()
    queue.settle()
    return lock.withLock {
      var state = FinalState(count: 0, entries: [:])
      state.totals = [.init("the number of runs", claimed: runs, counted: expectedRuns)]
      state.events = events
      return state
    }
  }
}
