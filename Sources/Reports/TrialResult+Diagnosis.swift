package import StressRunner
package import WaitForGraph

extension TrialResult {
  /// Why the trial's child could not go on, from what it said of its threads; `nil` where it went
  /// on, and where nobody saw its calls.
  ///
  /// A child that was taken for stuck and then went on has said so too: what it said counts only
  /// where it ended there.
  package var diagnosis: Diagnosis? {
    guard isStuck else { return nil }
    return observation.waits.flatMap { Diagnosis(of: $0) }
  }

  /// Whether it ended where it could not go on: a deadlock, a call that traps instead, or a call
  /// that nobody completes.
  var isStuck: Bool {
    verdict.kind == .deadlock || verdict.cause == .self || observation.ending == .stalled
  }
}
