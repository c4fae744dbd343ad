import Caches
import Dispatch
import InterlockStress

/// PINOperationQueue in its versions. It is no cache, so it has only its own calls.
let pinOperationSubjects: [SubjectEntry] = [
  pinOperation("pin-operation-1-1", "PINOperationQueue 1.1.2, where late requests join", []),
  pinOperation("pin-operation", "PINOperationQueue 1.2.2, the newest", .version1_2_2),
  pinOperation("pin-operation-repaired", "PINOperationQueue with all repairs", .all),
]

private func pinOperation(
  _ name: String, _ summary: String, _ repairs: PINOperationQueue.Repairs
) -> SubjectEntry {
  .model(name, summary, family: "PINOperation") { PINOperationSubject(repairs) }
}

/// A PINOperationQueue of two places as a subject. The key of a call is an operation's identifier,
/// or names it for later calls.
private final class PINOperationSubject: ActionSubject {
  static let actions = [
    "cancel", "coalesce", "lower-maximum", "meet", "raise", "raise-maximum", "replace", "start",
    "wait", "wait-inside",
  ]

  private struct State {
    var queue: PINOperationQueue
    var references: [String: PINOperationQueue.Reference] = [:]
    var lastRequest = 0
    var expectedRuns = 0
    var runs = 0
    var requests: [PINOperationQueue.Reference: Int] = [:]
    var events: [FinalState.Event] = []
  }

  private let repairs: PINOperationQueue.Repairs
  private let meeting = DispatchGroup()
  private let state: Box<State>
  var cache: (any Caches.Cache)? { nil }

  init(_ repairs: PINOperationQueue.Repairs) {
    self.repairs = repairs
    state = Box(State(queue: PINOperationQueue(maxConcurrentOperations: 2, repairs: repairs)))
    for _ in 0..<3 { meeting.enter() }
  }

  func supports(_ kind: Call.Kind) -> Bool {
    guard case .action(let name) = kind else { return false }
    return Self.actions.contains(name)
  }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    let (queue, reference) = state.change { ($0.queue, $0.references[call.key]) }
    switch name {
    // Schedules an operation with the key as identifier, or joins one; completes by its completion.
    // The queue decides whether it runs or joins, so its runs are not counted.
    case "coalesce":
      queue.schedule(identifier: call.key, completion: { completion(.done) }) { _ in }
      return
    case "start": schedule(call.key)
    // Gives the key's last operation a high priority.
    case "raise": if let reference { queue.setPriority(.high, of: reference) }
    // Cancels the key's last operation, if it has not started.
    case "cancel": if let reference { cancel(reference, of: queue) }
    case "wait": queue.waitUntilAllOperationsAreFinished()
    // Schedules an operation that waits for all operations; completes when it has.
    case "wait-inside":
      queue.schedule {
        queue.waitUntilAllOperationsAreFinished()
        completion(.done)
      }
      return
    // Schedules an operation that waits until three such have started; completes then.
    case "meet":
      queue.schedule { [meeting] in
        meeting.leave()
        meeting.wait()
        completion(.done)
      }
      return
    case "raise-maximum": queue.maxConcurrentOperations = 3
    case "lower-maximum": queue.maxConcurrentOperations = 1
    case "replace":
      queue.settle()
      state.change { $0.queue = PINOperationQueue(maxConcurrentOperations: 2, repairs: repairs) }
    default: refuse(name)
    }
    completion(.done)
  }

  /// Schedules an operation that counts its runs.
  private func schedule(_ key: String) {
    state.change { now in
      now.lastRequest += 1
      now.expectedRuns += 1
      let request = now.lastRequest
      // Calling the queue under this lock is safe: `schedule` calls no block on this thread.
      let reference = now.queue.schedule { [state] in
        state.change {
          $0.runs += 1
          $0.events.append(.calledBack(request: request))
        }
      }
      now.references[key] = reference
      now.requests[reference] = request
    }
  }

  private func cancel(_ reference: PINOperationQueue.Reference, of queue: PINOperationQueue) {
    guard queue.cancel(reference) else { return }
    state.change { now in
      now.expectedRuns -= 1
      if let request = now.requests[reference] { now.events.append(.cancelled(request: request)) }
    }
  }

  func finalState() -> FinalState? {
    let queue = state.value.queue
    queue.waitUntilAllOperationsAreFinished()
    queue.settle()
    let now = state.value
    var final = FinalState(count: 0, entries: [:])
    final.totals = [
      .init("the number of runs", claimed: now.runs, counted: now.expectedRuns)
    ]
    final.events = now.events
    return final
  }
}
