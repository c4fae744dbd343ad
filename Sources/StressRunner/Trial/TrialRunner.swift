/// Runs trials, each in a child process of this executable, and judges them.
public struct TrialRunner: Sendable {
  /// What the runner says while it runs.
  public enum Event: Sendable {
    /// The trial with this number in the list has been started.
    case started(index: Int)
    /// The trial with this number in the list is judged.
    case finished(index: Int, TrialResult)
  }

  /// How a run ended.
  public enum Ending: Sendable, Hashable {
    /// Every trial was judged.
    case completed
    /// An interrupt (SIGINT or SIGTERM) came; its trials were killed and not judged.
    case interrupted
  }

  /// How many trials run at a time.
  public var jobs: Int

  /// Configures a runner.
  public init(jobs: Int) {
    self.jobs = jobs
  }
}
