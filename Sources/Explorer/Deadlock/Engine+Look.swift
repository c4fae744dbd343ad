internal import CInterlockExplorer
import HangReports
import Hangs

extension Engine {
  /// Executes a schedule, and inspects the deadlock if there is one.
  mutating func look(
    at choices: [UInt32], bodyIsTask: Bool, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> (result: interlock_exploration_result, witness: DeadlockWitness) {
    let looking = DeadlockWitness(bodyIsTask: bodyIsTask)
    if DeadlockWitness.start() { witness = looking }
    defer { witness = nil }
    return (try run(.replay(choices), body), looking)
  }
}

extension ExplorationFailure {
  /// Adds the cause of a deadlock and its explanation.
  mutating func add(_ witness: DeadlockWitness) {
    guard case .deadlock = verdict, let found = witness.explained,
      dryPoolWidth == nil || found.cause == .starvation
    else { return }
    verdict = .deadlock(found.cause)
    explanation = found.lines(in: schedule)
    if mayEnd { explanation.insert("unless code that no order controls ends a wait:", at: 0) }
  }
}
