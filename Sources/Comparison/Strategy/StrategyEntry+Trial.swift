package import StressRunner

extension StrategyEntry {
  /// The name of the strategy's subject in the correctness pass. Its full stop distinguishes it
  /// from every listed subject.
  package var trialName: String { "compare.\(name)" }

  /// The strategy as a subject of the correctness pass: a table with marked sections under a fresh
  /// lock. All callers use one key, with a long critical section, so that callers without mutual
  /// exclusion overlap.
  package var trialSubject: SubjectEntry {
    let makeSubject = makeSubject
    return SubjectEntry(name: trialName, summary: summary, runsUnlisted: false) {
      makeSubject(SharedTable(keys: 1, burns: 300))
    }
  }
}
