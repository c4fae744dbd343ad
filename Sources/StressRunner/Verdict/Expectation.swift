package import Prediction
package import WaitForGraph

/// The verdict that a scenario expects of a subject.
package struct Expectation: Sendable, Hashable, Codable {
  /// The kind of verdict.
  package var verdict: Verdict.Kind
  /// The cause of a deadlock, or `self` of a crash; `nil` accepts any, and none.
  package var cause: Diagnosis.Cause?
  /// Whether the script's order cannot be reached with this subject: its fix excludes the
  /// interleaving.
  package var excludesOrder: Bool
  /// Exactly these kinds of potential findings; `nil` leaves them open.
  package var potential: Set<PotentialFinding.Kind>?

  /// Describes an expectation.
  package init(
    verdict: Verdict.Kind, cause: Diagnosis.Cause? = nil, excludesOrder: Bool = false,
    potential: Set<PotentialFinding.Kind>? = nil
  ) {
    self.verdict = verdict
    self.cause = cause
    self.excludesOrder = excludesOrder
    self.potential = potential
  }

  /// Whether exactly the expected kinds of potential findings were found. A trial that did not
  /// predict is not judged by them.
  package func isMet(by record: PredictionRecord) -> Bool {
    guard let potential, record.state == .on else { return true }
    return record.kinds.subtracting(record.unseen) == potential.subtracting(record.unseen)
  }

  /// Whether a verdict is the expected one; a skipped trial neither meets nor breaks it.
  ///
  /// Where the trial's calls that wait and wake were not seen, nothing can tell why a process
  /// trapped: of a crash the kind alone counts then.
  package func isMet(by verdict: Verdict, seesCalls: Bool = true) -> Bool {
    guard verdict.kind == self.verdict else { return false }
    return cause == nil || cause == verdict.cause || (verdict.kind == .crashed && !seesCalls)
  }
}
