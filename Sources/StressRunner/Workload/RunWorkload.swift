import Dispatch
import ProcessInspection

/// Makes every call of a scenario on a subject, and checks the scenario's oracles.
///
/// Blocks the calling thread, which must not belong to a pool, until every call has completed. If
/// the subject hangs, so does this function: call it in a process that another process watches. It
/// reads no clock.
///
/// - Parameters:
///   - scenario: The scenario with the workload and the oracles.
///   - seed: The seed of the operations and keys.
///   - subject: A fresh subject that supports all of `scenario.workload.kinds`.
///   - progress: Records each call's beginning and completion, except the preparation's.
///   - isExplored: True if the orders of the calls are explored.
///   - beforeCalls: Called once after the preparation, when concurrent calls are about to begin.
///   - afterCalls: Called once when all calls have completed and the oracles are about to be
///     checked.
///   - noteUndecided: Called with the oracles that the subject's data cannot decide, if any.
/// - Returns: The oracles that failed, each once.
package func runWorkload(
  _ scenario: Scenario, seed: UInt64, on subject: any Subject,
  reporting progress: any ProgressSink, isExplored: Bool = false, beforeCalls: () -> Void = {},
  afterCalls: () -> Void = {},
  noteUndecided: ([Observation.OracleFailure]) -> Void = { _ in }
) -> [Observation.OracleFailure] {
  let workload = scenario.workload
  let plan = WorkloadPlan(workload, seed: seed)
  let pattern = ValuePattern(keys: workload.keys, valueBytes: workload.valueBytes)
  let ledger = Ledger(asking: scenario.oracles)
  var certainKeys =
    ledger.asks(.nothingLost) ? CertainKeys(afterPreparationOf: plan) : CertainKeys.none

  if workload.preparesAllKeys {
    storeAllKeys(of: workload, in: subject) { key in
      pattern.operation(for: WorkloadPlan.Call(kind: .set, key: key))
    }
  }
  let history = ledger.asks(.readsFresh) ? History(isExplored: isExplored) : nil
  let holdUp =
    ledger.asks(.holdUpBounded) ? HoldUp(limit: scenario.limits.overtakes) : nil
  beforeCalls()
  let driver = workload.driver.make()
  for phase in workload.phases.indices {
    let run = PhaseRun(
      phase: phase, of: plan, on: subject, pattern: pattern, certainKeys: certainKeys,
      ledger: ledger, history: history, holdUp: holdUp, isExplored: isExplored,
      progress: progress)
    driver.drive(run)
    run.waitUntilAllCompleted()
    certainKeys.addKeys(storedInPhase: phase, of: plan)
  }

  afterCalls()

  let state = finalState(of: subject)
  let undecided = ledger.undecidedAtRest(state)
  if !undecided.isEmpty { noteUndecided(undecided) }
  if let state {
    if let evidence = evidenceOfBrokenValue(in: state, pattern: pattern, keys: workload.keys) {
      ledger.note(.valuesIntact, evidence)
    }
    ledger.askAtRest(state) { _, bytes in "\(bytes.count) bytes" }
    if let evidence = evidenceOfLoss(in: state, certainKeys: certainKeys) {
      ledger.note(.nothingLost, evidence)
    }
  }
  if let history, let evidence = evidenceOfStaleRead(in: history.calls) {
    ledger.note(.readsFresh, evidence)
  }
  return ledger.failures
}

/// Stores a value under every key, one after another, from a dedicated thread.
func storeAllKeys(
  of workload: Workload, in subject: any Subject,
  by operation: @escaping @Sendable (_ key: Int) -> Operation
) {
  let thread = DedicatedThread {
    let stored = DispatchSemaphore(value: 0)
    for key in 0..<workload.keys {
      subject.perform(operation(key)) { _ in stored.signal() }
      stored.wait()
    }
  }
  thread.join()
}
