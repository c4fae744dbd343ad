/// A failure of this machine to start or watch a trial, so that the trial has no result.
package struct RunnerFault: Error, Hashable {
  /// The reason, including the system's.
  package var reason: String

  /// Gives the reason.
  package init(reason: String) {
    self.reason = reason
  }
}
