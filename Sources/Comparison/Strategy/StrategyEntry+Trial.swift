package import StressRunner

extension StrategyEntry {
  /// The name of the strategy's subject in the correctness pass; no name of a listed subject has a
  /// full stop.
  package var trialName: String { "compare.\(name)" }

  /// The strategy as a subject of the correctness pass: a table with marked sections under a fresh
  /// lock. All callers are at one key, and inside for a while, so that those who are not kept apart
  /// meet.
  package var trialSubject: SubjectEntry {
    let makeSubject = makeSubject
    return SubjectEntry(name: trialName, summary: summary, runsUnlisted: false) {
      makeSubject(SharedTable(keys: 1, burns: 300))
    }
  }
}
