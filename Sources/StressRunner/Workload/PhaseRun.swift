import Dispatch
import Prediction
import Synchronization

/// A running phase. It makes the calls of the plan, and detects when all have completed.
///
/// A driver decides on which thread or task each caller makes its calls. Several threads use this
/// type at once.
final class PhaseRun: Sendable {
  /// The number of callers.
  let callers: Int
  /// The number of calls of each caller.
  let callsPerCaller: Int
  /// The subject that is called.
  let subject: any Subject

  /// True if the orders of the calls are explored.
  let isExplored: Bool

  private let plan: WorkloadPlan
  private let phase: Int
  private let firstCaller: Int
  private let pattern: ValuePattern
  private let certainKeys: CertainKeys
  private let ledger: Ledger
  private let history: History?
  private let holdUp: HoldUp?
  private let progress: any ProgressSink
  private let uncompleted: Atomic<Int>
  private let allCompleted = DispatchSemaphore(value: 0)

  /// Creates a phase during which `certainKeys` must be present.
  init(
    phase: Int, of plan: WorkloadPlan, on subject: any Subject, pattern: ValuePattern,
    certainKeys: CertainKeys, ledger: Ledger, history: History? = nil, holdUp: HoldUp? = nil,
    isExplored: Bool = false, progress: any ProgressSink
  ) {
    let phases = plan.workload.phases
    callers = phases[phase].callers
    callsPerCaller = phases[phase].callsPerCaller
    firstCaller = phases[..<phase].reduce(0) { $0 + $1.callers }
    uncompleted = Atomic(callers * callsPerCaller)
    self.subject = subject
    self.plan = plan
    self.phase = phase
    self.pattern = pattern
    self.certainKeys = certainKeys
    self.ledger = ledger
    self.history = history
    self.holdUp = holdUp
    self.isExplored = isExplored
    self.progress = progress
  }

  /// Begins a call, which is in progress until it is completed.
  func begin(caller: Int, index: Int) -> PendingCall {
    let call = plan.call(phase: phase, caller: caller, index: index)
    let pending = PendingCall(
      call, operation: pattern.operation(for: call), by: caller, began: history?.now() ?? 0,
      begunBefore: holdUp?.begin() ?? 0, in: self)
    progress.began(caller: firstCaller + caller, operation: index)
    return pending
  }

  /// Records a completion and checks the reply.
  fileprivate func complete(_ call: PendingCall, with reply: Reply, isFirst: Bool) {
    guard isFirst else {
      ledger.note(.completesOnce, "a \(call.name) of caller \(call.caller) completed again")
      return
    }
    if case .failed(let evidence) = reply {
      ledger.note(.checksHold, "a \(call.name) failed: \(evidence)")
    } else if ledger.asks(.valuesIntact) {
      if let evidence = evidenceOfBrokenValue(in: reply, to: call.call, pattern: pattern) {
        ledger.note(.valuesIntact, evidence)
      }
    }
    if case .value(nil) = reply, call.call.kind.reads, certainKeys.contains(call.call.key) {
      ledger.note(
        .nothingLost, "a \(call.name) found nothing: it was stored before, and never removed")
    }
    if let history { note(call, with: reply, in: history) }
    if let overtakes = holdUp?.complete(call.begunBefore) {
      ledger.note(
        .holdUpBounded, "a \(call.name) was held up while \(overtakes) others began and completed")
    }
    progress.completed(caller: firstCaller + call.caller)
    // Acquiring and releasing: the subject's work in each call happens before the code after the
    // phase.
    if uncompleted.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      allCompleted.signal()
    }
  }

  private func note(_ call: PendingCall, with reply: Reply, in history: History) {
    // A workload has one value for each key.
    var value = call.call.kind.stores ? 0 : nil
    if case .value(.some) = reply { value = 0 }
    history.note(
      History.Call(
        kind: call.call.kind, key: call.call.key, value: value, began: call.began,
        ended: history.now()))
  }

  /// Blocks the calling thread until every call has completed. Called once.
  func waitUntilAllCompleted() {
    allCompleted.wait()
    // Only the last call signals; the others have only decremented the counter, without an event.
    Predictor.comesAfterAll()
  }
}

/// A call in progress.
final class PendingCall: Sendable {
  /// The call in the plan.
  let call: WorkloadPlan.Call
  /// The operation that the subject performs.
  let operation: Operation
  /// The caller's number in its phase, from 0.
  let caller: Int

  /// The epoch at which the call was made, if a history is kept.
  fileprivate let began: Int
  /// The number of calls that had begun before this one, if they are counted.
  fileprivate let begunBefore: Int
  private let run: PhaseRun
  private let isCompleted = Atomic<Bool>(false)

  fileprivate init(
    _ call: WorkloadPlan.Call, operation: Operation, by caller: Int, began: Int,
    begunBefore: Int, in run: PhaseRun
  ) {
    self.call = call
    self.operation = operation
    self.caller = caller
    self.began = began
    self.begunBefore = begunBefore
    self.run = run
  }

  /// The name of the call in evidence.
  var name: String {
    let kind = operation.kind.rawValue
    return operation.key.isEmpty ? kind : "\(kind) of \(operation.key)"
  }

  /// Completes the call with its reply. Only the first completion counts; a further one is a fault
  /// of the subject.
  func complete(with reply: Reply) {
    // Relaxed: the exchange only distinguishes the first completion, and publishes nothing.
    let isFirst = !isCompleted.exchange(true, ordering: .relaxed)
    // For the completing thread, the completion is code of another module.
    Predictor.calledBack()
    run.complete(self, with: reply, isFirst: isFirst)
  }
}

extension ValuePattern {
  /// The operation for a call of the plan.
  func operation(for call: WorkloadPlan.Call) -> Operation {
    switch call.kind {
    case .set, .setAsync:
      let value = value(ofKey: call.key)
      return Operation(kind: call.kind, key: "key-\(call.key)", value: value, cost: value.count)
    case .get, .getAsync, .remove, .removeAsync:
      return Operation(kind: call.kind, key: "key-\(call.key)")
    case .removeAll, .count:
      return Operation(kind: call.kind, key: "")
    case .action:
      let value = value(ofKey: call.key)
      return Operation(kind: call.kind, key: "key-\(call.key)", value: value, cost: value.count)
    }
  }
}
