import Dispatch
package import Programs

/// A wrong result of a program.
package struct WrongResult: Error, CustomStringConvertible {
  package let description: String
}

/// Throws if a result is wrong.
func expect(_ isRight: Bool, _ message: @autoclosure () -> String) throws {
  if !isRight { throw WrongResult(description: message()) }
}

/// Runs closures at once, and returns when all have ended.
func together(_ parties: (@Sendable () -> Void)...) {
  let group = DispatchGroup()
  for party in parties { DispatchQueue.global().async(group: group, execute: party) }
  group.wait()
}

/// All programs that synchronise by atomics, and go wrong in some orders of their operations.
///
/// Their module is compiled for the check of memory: so each atomic operation is a call, which an
/// exploration controls.
package let exploredPrograms: [Program] =
  atomicWordPrograms
  + atomicLockPrograms
  + atomicExclusionPrograms
  + atomicStackPrograms
  + atomicRingPrograms
  + atomicLifetimePrograms
