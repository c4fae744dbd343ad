/// The findings of prediction in a process, or why it was not active.
package struct PredictionRecord: Sendable, Hashable, Codable {
  /// Whether prediction was active.
  package enum State: Sendable, Hashable, Codable {
    /// No option asks for prediction.
    case off
    /// Prediction was active from before the first call of the code under test until this record.
    case on
    /// An option asks for prediction, but orders that this build cannot observe would cause false
    /// alarms.
    case unavailable(reason: String)
  }

  /// Whether prediction was active.
  package var state: State
  /// The findings.
  package var findings: [PotentialFinding]
  /// The gaps of prediction, such as a full table, one line each.
  package var notes: [String]
  /// The kinds that this build or this run could not find.
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

  /// The kinds of the findings.
  package var kinds: Set<PotentialFinding.Kind> { Set(findings.map(\.kind)) }
}
