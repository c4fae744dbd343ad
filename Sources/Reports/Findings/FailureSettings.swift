package import Findings

/// Which findings make a run red, in addition to unexpected verdicts.
package struct FailureSettings: Sendable {
  /// Whether a predicted finding that no scenario expects does.
  package var onPotential = false
  /// Whether a skipped trial does.
  package var onSkipped = false
  /// Old findings, which do not; `nil` without a baseline.
  package var known: KnownFindings?
  /// The day on which the run began, in UTC: `2026-11-23`.
  package var today = ""

  /// Unexpected verdicts alone do.
  package init() {}
}
