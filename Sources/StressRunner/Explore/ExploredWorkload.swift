import Explorer
import Foundation

/// A trial's workload as a body that is executed once for each order, on a new subject each time.
///
/// `@unchecked Sendable`: executions run one after another, and the results are read after the last
/// one. A lock would be another object for the explorer to order.
final class ExploredWorkload: @unchecked Sendable {
  private let trial: Trial
  private let entry: SubjectEntry
  /// The oracles that failed in the last execution with a failure. The explorer may execute the
  /// workload once more after the failing order.
  private(set) var failures: [Observation.OracleFailure] = []
  /// The oracles that the subject's data could not decide in the last finished execution.
  private(set) var undecided: [Observation.OracleFailure] = []

  /// Creates the workload of a trial, on subjects that an entry makes.
  init(_ trial: Trial, on entry: SubjectEntry) {
    self.trial = trial
    self.entry = entry
  }

  /// The state that a child process sends to its parent: the failures and the undecided oracles.
  var state: ExploredState {
    ExploredState(
      save: { (try? JSONEncoder().encode([self.failures, self.undecided])).map(Array.init) ?? [] },
      load: { bytes in
        guard
          let lists = try? JSONDecoder().decode(
            [[Observation.OracleFailure]].self, from: Data(bytes)), lists.count == 2
        else { return }
        (self.failures, self.undecided) = (lists[0], lists[1])
      })
  }

  /// Executes the workload once; returns true if every oracle held.
  ///
  /// The roles of a script run freely: the script's order is one of the explored orders.
  func execute() -> Bool {
    let subject = entry.make()
    let scenario = trial.scenario
    let found: [Observation.OracleFailure]
    if let script = scenario.workload.script {
      found =
        runScript(
          scenario, script, on: subject, reporting: NoProgress(), isExplored: true,
          noteUndecided: { self.undecided = $0 }
        ).failures
    } else {
      found = runWorkload(
        scenario, seed: trial.seed, on: subject, reporting: NoProgress(), isExplored: true,
        noteUndecided: { self.undecided = $0 })
    }
    if !found.isEmpty { failures = found }
    return found.isEmpty
  }
}

/// Ignores calls: the progress of an exploration is its number of orders.
private struct NoProgress: ProgressSink {
  func began(caller: Int, operation: Int) {}
  func completed(caller: Int) {}
}
