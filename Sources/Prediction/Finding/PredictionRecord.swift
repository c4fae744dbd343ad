/// The findings of prediction in a process, or why it was not active.
package struct PredictionRecord: Sendable, Hashable, Codable {
  /// Whether prediction was active.
  package enum State: Sendable, Hashable, Codable {
    /// No option asked for it.
    case off
    /// Prediction followed the process from before the first call of the code under test until this
    /// record.
    case on
    /// An option asked for prediction, but a missing order would cause false alarms.
    case unavailable(reason: String)
  }

  /// Whether prediction was active.
  package var state: State
  /// The findings.
  package var findings: [PotentialFinding]
  /// What prediction could not follow, such as a full table, a line each.
  package var notes: [String]
  /// The kinds that prediction could not find in this build or this run.
  package var unseen: Set<PotentialFinding.Kind>

  /// Describes a record.
  package init(
    state: State, findings: [PotentialFinding] = [], notes: [String] = [],
    unseen: Set<PotentialFinding.Kind> = []
  ) {
    self.unseen = unseen
    self.state = state
    self.findings = findings
    self.notes = notes
  }

  /// The kinds that were found.
  package var kinds: Set<PotentialFinding.Kind> { Set(findings.map(\.kind)) }
}
