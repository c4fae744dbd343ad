/// What this machine refused the runner: a trial could not be started or watched, and nothing can
/// be said of it.
package struct RunnerFault: Error, Hashable {
  /// In words, with the system's reason.
  package var reason: String

  /// Gives the reason.
  package init(reason: String) {
    self.reason = reason
  }
}
