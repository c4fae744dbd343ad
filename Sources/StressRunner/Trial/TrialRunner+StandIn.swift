// Only until the runner is there: says of every trial that it was not run. Delete with the merge.

extension TrialRunner {
  /// Runs nothing.
  package func run(_ trials: [Trial], onEvent: (Event) -> Void) -> Ending {
    for (index, trial) in trials.enumerated() {
      let reason = "this build cannot run trials"
      let operations = trial.scenario.workload.operationCount
      onEvent(.started(index: index))
      onEvent(
        .finished(
          index: index,
          TrialResult(
            trial: trial,
            observation: Observation(ending: .notRun(reason: reason), operations: operations),
            verdict: Verdict(kind: .skipped, message: reason))))
    }
    return .completed
  }
}

/// Runs nothing.
package enum TrialHost {
  /// Runs nothing.
  package static func runIfChild(subjects: [SubjectEntry]) {}
}
