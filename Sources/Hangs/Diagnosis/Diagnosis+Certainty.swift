extension Diagnosis {
  /// Whether a cause is certain, and if not, why.
  package enum Certainty: Sendable, Hashable, Codable {
    /// Nothing that the process could still do ends the hang.
    case certain
    /// Certain if the queued blocks of a dry pool with the same code, and from the same line, wait
    /// as the running ones do: see `PoolForecast`.
    case certainIfBlocksAreAlike
    /// The most likely cause.
    case doubtful(Doubt)

    /// Whether nothing that the process could still do ends the hang.
    package var isCertain: Bool {
      switch self {
      case .certain, .certainIfBlocksAreAlike: true
      case .doubtful: false
      }
    }
  }

  /// Why a cause is not certain.
  package enum Doubt: Sendable, Hashable, Codable {
    /// An idle process looks the same.
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
