internal import CInterlockMemory
package import Interlock
internal import ProcessInspection
internal import Synchronization

/// The check of memory in this process.
package enum MemoryCheck {
  /// Which code of this executable can be checked.
  package enum Support: Sendable, Hashable {
    /// The executable was built with the compiler's option.
    case everywhere
    /// Only code whose target has the option always.
    case partial
    /// None, for this reason.
    case unavailable(reason: String)
  }

  /// The option of the command line that has every module checked.
  package static let option = "-Xswiftc -Xfrontend -Xswiftc -sanitize=thread"

  /// What can be checked. Read it before the check starts.
  package static var support: Support {
    // This module is built with the options that the user's modules are built with.
    if interlock_memory_is_instrumented_function({ $0?.pointee = 1 }) { return .everywhere }
    if let blindness = InterposedCalls.blindness { return .unavailable(reason: blindness) }
    return interlock_memory_is_instrumented() ? .partial : .unavailable(reason: notCompiled)
  }

  private static let notCompiled =
    "no code of this process is compiled with '-Xfrontend -sanitize=thread'"

  /// Receives a race, once for each pair of places, on the thread that makes the second access.
  package typealias Receiver = @Sendable (MemoryRaceScopes.Race) -> Void

  private static let receiver = Mutex<Receiver?>(nil)

  /// Checks every access of instrumented code from now on.
  ///
  /// - Parameter receive: Receives the races, except those of this package's own code.
  /// - Returns: Why it cannot; `nil` if it does.
  package static func start(_ receive: @escaping Receiver) -> String? {
    guard interlock_memory_is_instrumented() else { return notCompiled }
    if let blindness = InterposedCalls.blindness { return blindness }
    OwnCode.register(OwnCode.memoryCheck)
    receiver.withLock { $0 = receive }
    interlock_memory_report_to { race in
      if let race { MemoryCheck.add(race.pointee) }
    }
    interlock_memory_scope_from { UInt64(MemoryRaceScopes.ofCaller) }
    MemoryRaceScopes.onChange { interlock_memory_scope_changes() }
    if let problem = interlock_memory_start() { return String(cString: problem) }
    MemoryRaceLog.isFed { interlock_memory_forget_pairs() }
    return nil
  }

  /// Why nothing is checked from some event on; `nil` while it is.
  package static var blindness: String? {
    interlock_memory_blindness().map { String(cString: $0) }
  }

  private static func add(_ found: interlock_memory_race) {
    let race = MemoryRace(found)
    // This package's own modules may be compiled with the same option.
    if race.isOwn || !MemoryRaceLog.isNew(race) { return }
    let named = race.withNames()
    // Its lines may show that it is known.
    if named.places != race.places, !MemoryRaceLog.isNew(named) { return }
    let scoped = MemoryRaceScopes.Race(
      named, firstScope: UInt(found.before.scope), secondScope: UInt(found.now.scope))
    receiver.withLock { $0 }?(scoped)
  }
}
