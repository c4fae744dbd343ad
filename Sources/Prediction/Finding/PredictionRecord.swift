/// What prediction found in a process, or why it did not look.
package struct PredictionRecord: Sendable, Hashable, Codable {
  /// Whether it looked.
  package enum State: Sendable, Hashable, Codable {
    /// Nobody asked for it.
    case off
    /// It looked from before the first call of the code under test up to the moment of this record.
    case on
    /// It was asked for and could not look: missing order would be false alarms.
    case unavailable(reason: String)
  }

  /// Whether it looked.
  package var state: State
  /// What it found.
  package var findings: [PotentialFinding]
  /// What it could not follow, a line each: a table that was full.
  package var notes: [String]
  /// The kinds that it could not look for in this build or this run.
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
