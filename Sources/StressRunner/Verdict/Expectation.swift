package import Prediction
package import Hangs

/// The verdict that a scenario expects of a subject.
package struct Expectation: Sendable, Hashable, Codable {
  /// A failure that an exploration may show as well.
  package struct Explored: Sendable, Hashable, Codable {
    /// The kind of verdict.
    package var verdict: Verdict.Kind
    /// The cause of a deadlock, or `self` for a crash; `nil` accepts any cause, and none.
    package var cause: Diagnosis.Cause?

    /// Creates an accepted failure.
    package init(verdict: Verdict.Kind, cause: Diagnosis.Cause? = nil) {
      self.verdict = verdict
      self.cause = cause
    }
  }

  /// The kind of verdict.
  package var verdict: Verdict.Kind
  /// The cause of a deadlock, or `self` for a crash; `nil` accepts any cause, and none.
  package var cause: Diagnosis.Cause?
  /// True if this subject's fix makes the script's order impossible.
  package var excludesOrder: Bool
  /// True if `passed` requires that an exploration has executed every order.
  package var isFinished = false
  /// A failure that is accepted in addition to `verdict`, only from an exploration.
  package var explored: Explored?
  /// The exact kinds of predicted findings; `nil` accepts any.
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

  /// Encodes the kinds in a fixed order: a record's head has a hash of the text, and the order of a
  /// set differs from process to process.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(verdict, forKey: .verdict)
    try container.encodeIfPresent(cause, forKey: .cause)
    try container.encode(excludesOrder, forKey: .excludesOrder)
    try container.encode(isFinished, forKey: .isFinished)
    try container.encodeIfPresent(explored, forKey: .explored)
    try container.encodeIfPresent(
      potential?.sorted { $0.rawValue < $1.rawValue }, forKey: .potential)
  }

  /// True if exactly the expected kinds of findings were predicted, or the trial ran without
  /// prediction.
  package func isMet(by record: PredictionRecord) -> Bool {
    guard let potential, record.state == .on else { return true }
    return record.kinds.subtracting(record.unseen) == potential.subtracting(record.unseen)
  }

  /// True if a deadlock is expected whose cause may be any but a dry pool.
  var acceptsDeadlockOfUnknownCause: Bool {
    (verdict == .deadlock && cause != .starvation)
      || (explored?.verdict == .deadlock && explored?.cause != .starvation)
  }

  /// True if a verdict is the expected one. A skipped trial neither meets nor breaks an
  /// expectation.
  ///
  /// If the trial's waiting and waking calls were not followed, the reason for a trap is unknown,
  /// and only the kind of a crash is compared.
  package func isMet(by verdict: Verdict, seesCalls: Bool = true) -> Bool {
    func accepts(_ kind: Verdict.Kind, _ cause: Diagnosis.Cause?) -> Bool {
      guard verdict.kind == kind else { return false }
      return cause == nil || cause == verdict.cause || (kind == .crashed && !seesCalls)
    }
    return accepts(self.verdict, cause) || explored.map { accepts($0.verdict, $0.cause) } ?? false
  }
}
