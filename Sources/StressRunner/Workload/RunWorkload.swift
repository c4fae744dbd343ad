import Dispatch
import Interlock

/// Makes every call of a scenario on a subject, and asks the scenario's oracles.
///
/// Blocks the calling thread, which must not be one of a pool, until every call has completed. A subject that
/// hangs hangs this function: it is called in a process that another one watches. It reads no clock.
///
/// - Parameters:
///   - scenario: What is called, and which oracles are asked.
///   - seed: What the operations and keys follow from.
///   - subject: A fresh subject that supports all of `scenario.workload.kinds`.
///   - progress: Where each call's beginning and completion are noted; the preparation's are not.
/// - Returns: The oracles that did not hold, each once.
package func runWorkload(
  _ scenario: Scenario, seed: UInt64, on subject: any Subject, reporting progress: any ProgressSink
) -> [Observation.OracleFailure] {
  let workload = scenario.workload
  let plan = WorkloadPlan(workload, seed: seed)
  let pattern = ValuePattern(keys: workload.keys, valueBytes: workload.valueBytes)
  let ledger = Ledger(asking: scenario.oracles)
  var certainKeys =
    ledger.asks(.nothingLost) ? CertainKeys(afterPreparationOf: plan) : CertainKeys.none

  if workload.preparesAllKeys { storeAllKeys(of: workload, in: subject, pattern: pattern) }
  // From here on there is somebody to meet. A machine that is busy elsewhere may run a thousand short calls
  // one after the other: a section that lingers now and then lets the next caller come while it is open.
  SectionTracking.lingers = true
  let driver = workload.driver.make()
  for phase in workload.phases.indices {
    let run = PhaseRun(
      phase: phase, of: plan, on: subject, pattern: pattern, certainKeys: certainKeys,
      ledger: ledger, progress: progress)
    driver.drive(run)
    run.waitUntilAllCompleted()
    certainKeys.addKeys(storedInPhase: phase, of: plan)
  }

  if let state = finalState(of: subject) {
    if let evidence = evidenceOfBrokenValue(in: state, pattern: pattern, keys: workload.keys) {
      ledger.note(.valuesIntact, evidence)
    }
    if let evidence = evidenceOfWrongCount(in: state) { ledger.note(.countMatches, evidence) }
    if let evidence = evidenceOfWrongTotalCost(in: state) {
      ledger.note(.totalCostMatches, evidence)
    }
    if let evidence = evidenceOfLoss(in: state, certainKeys: certainKeys) {
      ledger.note(.nothingLost, evidence)
    }
  }
  return ledger.failures
}

/// Stores the value of every key, one after the other, from a thread of its own.
private func storeAllKeys(of workload: Workload, in subject: any Subject, pattern: ValuePattern) {
  let thread = DedicatedThread {
    let stored = DispatchSemaphore(value: 0)
    for key in 0..<workload.keys {
      let operation = pattern.operation(for: WorkloadPlan.Call(kind: .set, key: key))
      subject.perform(operation) { _ in stored.signal() }
      stored.wait()
    }
  }
  thread.join()
}

/// Asks a subject for its state, on a thread of its own.
private func finalState(of subject: any Subject) -> FinalState? {
  let answer = Answer()
  DedicatedThread { answer.state = subject.finalState() }.join()
  return answer.state
}

/// What one thread hands to another.
///
/// `@unchecked Sendable`: written before the thread ends, read after it was joined.
private final class Answer: @unchecked Sendable {
  var state: FinalState?
}
