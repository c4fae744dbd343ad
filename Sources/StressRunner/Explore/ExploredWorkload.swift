import Explorer
import Foundation

/// A trial's workload as a body that is executed once for each order, on a new subject each time.
///
/// `@unchecked Sendable`: executions run one after another, and the results are read after the
/// last. A lock would be a further object that the explorer orders.
final class ExploredWorkload: @unchecked Sendable {
  private let trial: Trial
  private let entry: SubjectEntry
  /// The oracles that failed in the last execution in which one did: the explorer may execute the
  /// workload once more after the failing order.
  private(set) var failures: [Observation.OracleFailure] = []
  /// The oracles that the subject's data could not decide in the last execution that ended.
  private(set) var undecided: [Observation.OracleFailure] = []

  /// The workload of a trial on the subjects that an entry makes.
  init(_ trial: Trial, on entry: SubjectEntry) {
    self.trial = trial
    self.entry = entry
  }

  /// What a child process hands over: the failures and the undecided oracles.
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

  /// Executes the workload once; returns whether every oracle held.
  ///
  /// A script's roles run freely: its order is one of those that are explored.
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

/// Of an exploration the number of orders is the progress, not that of calls.
private struct NoProgress: ProgressSink {
  func began(caller: Int, operation: Int) {}
  func completed(caller: Int) {}
}
