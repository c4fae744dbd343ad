package import Prediction
package import Hangs

/// The verdict that a scenario expects of a subject.
package struct Expectation: Sendable, Hashable, Codable {
  /// What an exploration may show too.
  package struct Explored: Sendable, Hashable, Codable {
    /// The kind of verdict.
    package var verdict: Verdict.Kind
    /// The cause of a deadlock, or `self` of a crash; `nil` accepts any cause, and none.
    package var cause: Diagnosis.Cause?

    /// Describes what an exploration may show.
    package init(verdict: Verdict.Kind, cause: Diagnosis.Cause? = nil) {
      self.verdict = verdict
      self.cause = cause
    }
  }

  /// The kind of verdict.
  package var verdict: Verdict.Kind
  /// The cause of a deadlock, or `self` of a crash; `nil` accepts any cause, and none.
  package var cause: Diagnosis.Cause?
  /// Whether this subject's fix makes the script's order impossible.
  package var excludesOrder: Bool
  /// Whether an exploration must have executed every order, for `passed`.
  package var isFinished = false
  /// What is accepted besides `verdict`; only of an exploration.
  package var explored: Explored?
  /// Exactly these kinds of predicted findings; `nil` accepts any.
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

  /// Whether exactly the expected kinds of findings were predicted. True for a trial without
  /// prediction.
  package func isMet(by record: PredictionRecord) -> Bool {
    guard let potential, record.state == .on else { return true }
    return record.kinds.subtracting(record.unseen) == potential.subtracting(record.unseen)
  }

  /// Whether a deadlock is expected, whose cause may be any but a dry pool.
  var acceptsDeadlockOfUnknownCause: Bool {
    (verdict == .deadlock && cause != .starvation)
      || (explored?.verdict == .deadlock && explored?.cause != .starvation)
  }

  /// Whether a verdict is the expected one. A skipped trial neither meets nor breaks it.
  ///
  /// If the trial's calls that wait and wake were not seen, the reason for a trap is unknown: then
  /// only the kind of a crash is compared.
  package func isMet(by verdict: Verdict, seesCalls: Bool = true) -> Bool {
    func accepts(_ kind: Verdict.Kind, _ cause: Diagnosis.Cause?) -> Bool {
      guard verdict.kind == kind else { return false }
      return cause == nil || cause == verdict.cause || (kind == .crashed && !seesCalls)
    }
    return accepts(self.verdict, cause) || explored.map { accepts($0.verdict, $0.cause) } ?? false
  }
}
