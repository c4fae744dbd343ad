package import StressRunner

/// How many trials met their expectations.
package struct ReportSummary: Sendable, Hashable {
  /// Trials whose verdict was the expected one.
  package var met = 0
  /// Trials with another verdict than expected.
  package var unmet = 0
  /// Trials that were not judged.
  package var skipped = 0

  /// Trials with predicted findings that the scenario did not expect.
  package var potential = 0

  /// How many trials were planned: with fewer results, the run was interrupted or killed.
  package var planned = 0
  /// How long the run took; 0 while it is under way.
  package var seconds = 0.0

  /// No trials.
  package init() {}

  /// Counts results.
  package init(_ results: [TrialResult]) {
    for result in results { add(result) }
  }

  /// Counts one more result.
  package mutating func add(_ result: TrialResult) {
    if !result.unexpectedFindings.isEmpty { potential += 1 }
    switch result.isMet {
    case true?: met += 1
    case false?: unmet += 1
    case nil: skipped += 1
    }
  }

  /// All of them.
  package var count: Int { met + unmet + skipped }
}
