/// Makes the calls of a scenario's script on a subject, and checks the scenario's oracles.
///
/// The counterpart of `runWorkload` for a workload that is a script.
///
/// - Parameters:
///   - scenario: The scenario with the script, its limits and its oracles.
///   - script: The script.
///   - subject: A fresh subject that supports all of `scenario.workload.kinds`.
///   - progress: Records each call's beginning and completion, except the preparation's.
///   - isExplored: True if the orders of the calls are explored. The roles then run freely.
///   - ignoredThreads: Threads of this process that existed before the subject.
///   - beforeCalls: Called once after the preparation, when the roles are about to begin.
///   - afterCalls: Called once when the roles have ended and the oracles are about to be checked.
///   - noteUndecided: Called with the oracles that the subject's data cannot decide, if any.
/// - Returns: The oracles that failed, each once, and the outcome of the script's order.
package func runScript(
  _ scenario: Scenario, _ script: Script, on subject: any Subject,
  reporting progress: any ProgressSink, isExplored: Bool = false,
  ignoring ignoredThreads: Set<Int> = [],
  beforeCalls: () -> Void = {}, afterCalls: () -> Void = {},
  noteUndecided: ([Observation.OracleFailure]) -> Void = { _ in }
) -> (failures: [Observation.OracleFailure], record: ScriptRecord) {
  let workload = scenario.workload
  let values = ScriptValues(workload, script)
  let ledger = Ledger(asking: scenario.oracles)
  let run = ScriptRun(
    script, values: values, on: subject, ledger: ledger, isExplored: isExplored,
    progress: progress)
  if workload.preparesAllKeys {
    storeAllKeys(of: workload, in: subject) { key in
      let value = values.prepared(ofKey: key)
      return Operation(kind: .set, key: "key-\(key)", value: value, cost: value.count)
    }
  }
  run.prepare()
  beforeCalls()
  if isExplored { run.runFreely() } else { run.run(ignoring: ignoredThreads) }
  afterCalls()

  let state = finalState(of: subject)
  let undecided = ledger.undecidedAtRest(state)
  if !undecided.isEmpty { noteUndecided(undecided) }
  func name(_ key: String, _ bytes: [UInt8]) -> String {
    guard let number = keyNumber(of: key) else { return "\(bytes.count) bytes" }
    return values.name(of: bytes, ofKey: number)
  }
  if let state {
    ledger.askAtRest(state, naming: name)
    let broken = state.values.sorted { $0.key < $1.key }.first { key, bytes in
      keyNumber(of: key).map { values.number(of: bytes, ofKey: $0) == nil } ?? true
    }
    if let broken {
      ledger.note(
        .valuesIntact,
        "at the end, \(broken.key) held \(broken.value.count) bytes that are none of its values")
    }
  }
  if ledger.asks(.readsFresh), let evidence = evidenceOfStaleRead(in: run.calls) {
    ledger.note(.readsFresh, evidence)
  }
  if ledger.asks(.nothingLost), let evidence = evidenceOfLoss(in: run.calls, state: state) {
    ledger.note(.nothingLost, evidence)
  }
  if let evidence = evidenceOfHoldUp(
    in: run.calls, limit: scenario.limits.overtakes, until: run.endOfOrder)
  {
    ledger.note(.holdUpBounded, evidence)
  }
  return (ledger.failures, run.record)
}
