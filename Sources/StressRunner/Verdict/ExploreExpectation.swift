package import WaitForGraph

/// What a scenario expects of an exploration of a subject.
package struct ExploreExpectation: Sendable, Hashable, Codable {
  /// The kind of verdict: that of the order that fails, or `passed`.
  package var verdict: Verdict.Kind
  /// The cause of a deadlock, or `self` of a crash; `nil` accepts any cause, and none.
  package var cause: Diagnosis.Cause?
  /// Whether every order must have been executed, for `passed`.
  package var isFinished: Bool

  /// Describes an expectation.
  package init(
    verdict: Verdict.Kind, cause: Diagnosis.Cause? = nil, isFinished: Bool = false
  ) {
    self.verdict = verdict
    self.cause = cause
    self.isFinished = isFinished
  }
}
