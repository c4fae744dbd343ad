package import StressRunner

/// The numbers of trials that met their expectations or did not.
package struct ReportSummary: Sendable, Hashable {
  /// The number of trials with the expected verdict.
  package var met = 0
  /// The number of trials with another verdict than expected.
  package var unmet = 0
  /// The number of trials that were not judged.
  package var skipped = 0

  /// The number of trials with predicted findings that the scenario did not expect.
  package var potential = 0

  /// The number of planned trials. If there are fewer results, the run was interrupted or killed.
  package var planned = 0
  /// The duration of the run in seconds; 0 while the run is in progress.
  package var seconds = 0.0

  /// Creates a summary without trials.
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

  /// The number of all trials.
  package var count: Int { met + unmet + skipped }
}
