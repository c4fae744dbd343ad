/// A failure of this machine to start or watch a trial, so that the trial has no result.
package struct RunnerFault: Error, Hashable {
  /// The reason, including the system's error.
  package var reason: String

  /// Creates a fault with its reason.
  package init(reason: String) {
    self.reason = reason
  }
}
