/// A small program that goes wrong in some orders of its threads, queues or tasks, or the repaired
/// one.
///
/// Each access is protected by a lock, a queue or an actor: no two accesses race, and the order of
/// the steps decides. It is written as user code and does not import Interlock.
package struct OrderProgram: Sendable {
  /// The name of the program and of its scenario: lower-case words joined by hyphens.
  package let name: String
  /// What it does, in one line.
  package let summary: String
  /// Where this bug, or this class of bugs, was reported.
  package let source: String
  /// True if no order fails.
  package let isRepaired: Bool
  /// Runs the program with new state; throws if the result is wrong. In some orders, a program with
  /// a bug does not return, or traps.
  package let run: @Sendable () throws -> Void
}

/// A program with its repaired twin.
struct OrderPair: Sendable {
  let programs: [OrderProgram]

  /// The twin's name is `name` with `-repaired` appended; `repair` says what it does instead.
  init(
    _ name: String, _ summary: String, repair: String,
    source: String = "A pattern that many programs have, not one report",
    _ failing: @escaping @Sendable () throws -> Void,
    repaired: @escaping @Sendable () throws -> Void
  ) {
    programs = [
      OrderProgram(name: name, summary: summary, source: source, isRepaired: false, run: failing),
      OrderProgram(
        name: name + "-repaired", summary: repair, source: source, isRepaired: true, run: repaired),
    ]
  }
}

/// A wrong result of a program.
package struct WrongResult: Error, CustomStringConvertible {
  package let description: String
}

/// Throws if a result is wrong.
func expect(_ isRight: Bool, _ message: @autoclosure () -> String) throws {
  if !isRight { throw WrongResult(description: message()) }
}

/// All programs: each one with a bug, followed by its repaired twin.
package let orderPrograms: [OrderProgram] =
  (updatePairs + tablePairs + poolPairs + lifecyclePairs + observerPairs + conditionPairs
  + semaphorePairs + queuePairs + groupPairs + timerPairs + operationPairs + actorPairs
  + screenPairs
  + continuationPairs + cancellationPairs + taskGroupPairs + streamPairs).flatMap(\.programs)
