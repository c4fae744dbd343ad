package import WaitForGraph

/// The result of an exploration.
package enum ExplorationOutcome: Sendable, Hashable, Codable {
  /// Every order that the model distinguishes was executed, and none failed.
  ///
  /// It holds for the controlled calls under sequential consistency, and only if no call escaped.
  /// Atomics, the fast path of `Mutex` and plain accesses of memory are no points.
  case allOrdersPass(count: Int, leftBehind: Int)
  /// Some orders were executed, and none failed.
  case sampled(count: Int, leftBehind: Int, escaped: [String])
  /// An execution failed.
  case failed(ExplorationFailure)
}

/// An execution that failed, with the shortest schedule found that fails in the same way.
package struct ExplorationFailure: Sendable, Hashable, Codable {
  /// How an execution failed.
  package enum Verdict: Sendable, Hashable, Codable {
    /// The body reported a failure.
    case failed
    /// No thread could continue, and no timer was left.
    case deadlock
    /// The execution reached the limit of steps.
    case livelock
    /// A step took longer than its limit: it neither ended nor made a call that is controlled.
    case timedOut
    /// A trap or another signal.
    case crashed(signal: Int)
    /// A call that the system answers with a trap.
    case misuse
    /// The same choices led to other steps.
    case notDeterministic
    /// Two sections conflict: see `race`.
    case race
  }

  /// How it failed.
  package var verdict: Verdict
  /// What the engine or the body reported.
  package var text: String
  /// The steps of the shortest failing execution.
  package var schedule: Schedule
  /// Of a deadlock: the width of a pool whose workers all wait while blocks are queued, which is
  /// starvation.
  package var dryPoolWidth: Int?
  /// Of a deadlock: its cause; `nil` if it is not known.
  package var cause: Diagnosis.Cause?
  /// Of a deadlock: the cause in words, with what each thread holds and waits for.
  package var explanation: [String] = []
  /// Of a race: both sides.
  package var race: ExplorationRace?
  /// The short text that replays the schedule.
  package var token: String
  /// The number of the first execution that failed, from 1.
  package var execution: Int
}

/// Why nothing was explored, in one line.
package struct ExplorationRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason.
  package var description: String
}
