package import StressRunner

/// How many trials met what was expected of them.
package struct ReportSummary: Sendable, Hashable {
  /// Trials whose verdict was the expected one.
  package var met = 0
  /// Trials whose verdict was another.
  package var unmet = 0
  /// Trials that were not judged.
  package var skipped = 0

  /// Trials in which something was found that did not go wrong and can, and that was not expected.
  package var potential = 0

  /// How many trials there will be: with fewer results, the run was interrupted or killed.
  package var planned = 0
  /// How long the run took; 0 while it lasts.
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
