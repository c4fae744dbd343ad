package import Programs

/// A wrong result of a program.
package struct WrongResult: Error, CustomStringConvertible {
  package let description: String
}

/// Throws if a result is wrong.
func expect(_ isRight: Bool, _ message: @autoclosure () -> String) throws {
  if !isRight { throw WrongResult(description: message()) }
}

/// All programs that go wrong in some orders of their threads, queues or tasks.
///
/// Each access is protected by a lock, a queue or an actor: no two accesses race, and the order of
/// the steps decides. In some orders, a program does not return, or traps.
package let orderPrograms: [Program] =
  updatePrograms
  + mutexPrograms
  + tablePrograms
  + poolPrograms
  + lifecyclePrograms
  + observerPrograms
  + conditionPrograms
  + semaphorePrograms
  + queuePrograms
  + groupPrograms
  + timerPrograms
  + operationPrograms
  + actorPrograms
  + screenPrograms
  + continuationPrograms
  + cancellationPrograms
  + taskGroupPrograms
  + streamPrograms
