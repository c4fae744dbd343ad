/// The finding that an examination must make in a program. The raw values are the words of scenario
/// files.
package enum Expected: Sendable, Hashable {
  /// Nothing: the program ends.
  case passes
  /// Nothing in any order: an exploration executes every order.
  case passesInEveryOrder
  /// A hang for this reason, in every run. Some of these hangs are traps on Linux.
  case hangs(Cause, trapsOnLinux: Bool = false)
  /// A trap, in every run, of a thread that waits for itself.
  case traps
  /// Two accesses that overlap, or that nothing orders, in every run.
  case races
  /// Exactly these faults are predicted, in a run that ends.
  case potential(Set<Fault>)
  /// An exploration finds an order that fails in this way; a run may pass.
  case failsInSomeOrder(Failure)

  /// Exactly these faults are predicted; without one, prediction finds nothing.
  package static func predicts(_ faults: Fault...) -> Expected { .potential(Set(faults)) }

  /// Why a program hangs.
  package enum Cause: String, Sendable, CaseIterable {
    case cycle
    case itself = "self"
    case starvation
    case lostWakeUp = "lost-wake-up"
    case suspended
    case abandonedLock = "abandoned-lock"
  }

  /// A fault that did not occur in the run.
  package enum Fault: String, Sendable, CaseIterable {
    case lockOrder = "lock-order"
    case blockingWaitInTask = "blocking-wait-in-task"
    case lockAcrossAwait = "lock-across-await"
    case callbackUnderLock = "callback-under-lock"
    case abandonedLock = "abandoned-lock"
    case relock
    case race
  }

  /// How an order fails.
  package enum Failure: String, Sendable, CaseIterable {
    case violation
    case deadlock
    case crashed
    /// A loop waits for a value that no thread writes.
    case timedOut
  }
}
