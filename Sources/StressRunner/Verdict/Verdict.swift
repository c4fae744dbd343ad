public import Prediction

/// What an observation means.
public struct Verdict: Sendable, Hashable, Codable {
  /// The kinds of verdict.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Every operation completed, no conflict, every oracle held.
    case passed
    /// A conflict was recorded.
    case race
    /// No thread can go on; `cause` says why.
    case deadlock
    /// An oracle failed.
    case violation
    /// The child died of a signal or a trap, or was stopped for what it did to the machine.
    case crashed
    /// Still making progress when its time was up.
    case timedOut
    /// Something that it needs is not here.
    case skipped
  }

  /// Why no thread can go on.
  public enum Cause: String, Sendable, Hashable, CaseIterable, Codable {
    /// All threads of a pool wait for work that is queued behind them on that pool.
    case starvation
    /// Each of several waits for the next.
    case cycle
    /// One waits for itself.
    case `self`
    /// Whoever could have signalled what is waited for (a semaphore, a group, a condition) is gone,
    /// or has done it before anybody waited.
    case lostWakeUp = "lost-wake-up"
    /// A task's continuation is never resumed, and nothing is left to run that could.
    case suspended
    /// The owner of a lock ended, or went on, without giving it up.
    case abandonedLock = "abandoned-lock"
    /// It could not be told.
    case unknown
  }

  /// The kind.
  public var kind: Kind
  /// Why no thread can go on; of `crashed`, `self` where a call that waits for its own thread
  /// trapped instead. `nil` for all other kinds.
  public var cause: Cause?
  /// One line for people: the reason, with names.
  public var message: String

  /// Gives a verdict.
  public init(kind: Kind, cause: Cause? = nil, message: String) {
    self.kind = kind
    self.cause = cause
    self.message = message
  }
}

/// The verdict that a scenario expects of a subject.
public struct Expectation: Sendable, Hashable, Codable {
  /// The kind of verdict.
  public var verdict: Verdict.Kind
  /// The cause of a deadlock, or `self` of a crash; `nil` accepts any, and none.
  public var cause: Verdict.Cause?
  /// Whether the script's order cannot be reached with this subject: its fix excludes the
  /// interleaving.
  public var excludesOrder: Bool
  /// Exactly these kinds of potential findings; `nil` leaves them open.
  public var potential: Set<PotentialFinding.Kind>?

  /// Describes an expectation.
  public init(
    verdict: Verdict.Kind, cause: Verdict.Cause? = nil, excludesOrder: Bool = false,
    potential: Set<PotentialFinding.Kind>? = nil
  ) {
    self.verdict = verdict
    self.cause = cause
    self.excludesOrder = excludesOrder
    self.potential = potential
  }

  /// Whether exactly the expected kinds of potential findings were found. What nobody looked for is
  /// not judged.
  public func isMet(by record: PredictionRecord) -> Bool {
    guard let potential, record.state == .on else { return true }
    return record.kinds.subtracting(record.unseen) == potential.subtracting(record.unseen)
  }

  /// Whether a verdict is the expected one; a skipped trial neither meets nor breaks it.
  ///
  /// Where the trial's calls that wait and wake were not seen, nothing can tell why a process
  /// trapped: of a crash the kind alone counts then.
  public func isMet(by verdict: Verdict, seesCalls: Bool = true) -> Bool {
    guard verdict.kind == self.verdict else { return false }
    return cause == nil || cause == verdict.cause || (verdict.kind == .crashed && !seesCalls)
  }
}
