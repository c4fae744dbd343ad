extension Diagnosis {
  /// The certainty of a cause; if it is not certain, the reason.
  package enum Certainty: Sendable, Hashable, Codable {
    /// Nothing that the process could still do ends the hang.
    case certain
    /// Certain if the queued blocks of a dry pool with the same code and from the same line wait
    /// like the running ones: see `PoolForecast`.
    case certainIfBlocksAreAlike
    /// The cause is only the most likely one.
    case doubtful(Doubt)

    /// True if nothing that the process could still do ends the hang.
    package var isCertain: Bool {
      switch self {
      case .certain, .certainIfBlocksAreAlike: true
      case .doubtful: false
      }
    }
  }

  /// The reason why a cause is not certain.
  package enum Doubt: Sendable, Hashable, Codable {
    /// An idle process would look the same.
    case mayListen
    /// The pool gets another thread while all of its threads wait.
    case poolGrows
    /// A timer is set.
    case timerIsSet
    /// Code that the snapshot does not show may run.
    case unseenCode
    /// It is certain that threads are stuck, but the cause is not known.
    case unknownCause
  }
}
