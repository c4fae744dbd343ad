package import Findings

/// The findings that make a run red, in addition to unexpected verdicts.
package struct FailureSettings: Sendable {
  /// True if a predicted finding that no scenario expects makes the run red.
  package var onPotential = false
  /// True if a skipped trial makes the run red.
  package var onSkipped = false
  /// The old findings, which do not make the run red; `nil` without a baseline.
  package var known: KnownFindings?
  /// The day on which the run began, in UTC: `2026-11-23`.
  package var today = ""

  /// Creates settings in which only unexpected verdicts make the run red.
  package init() {}
}
