import Explorer
import Interlock
import ProcessInspection
import Hangs

/// Judges observations. A pure function, so it is tested without starting a thread.
package enum Judge {
  /// The verdict of an observation of a scenario's trial.
  ///
  /// The first of these that applies decides: a trial that was not run; a conflict or a memory
  /// race, whatever followed; a deadlock; a crash, or an exceeded limit; an oracle or a misuse; the
  /// time limit; an exit without a result.
  ///
  /// If a script's order was given up, its interleaving was not tried. The trial is then not
  /// `passed` but `timedOut`, unless the scenario states that this subject's fix excludes the
  /// order.
  package static func verdict(
    of observation: Observation, in scenario: Scenario, on subject: String
  ) -> Verdict {
    let verdict = verdict(of: observation, in: scenario)
    guard verdict == .passed, let reason = observation.script?.givenUp,
      !scenario.expectation(for: subject).excludesOrder
    else { return verdict }
    return .timedOut(.order(reason: reason))
  }

  /// The verdict without regard to a script's order.
  static func verdict(of observation: Observation, in scenario: Scenario) -> Verdict {
    if case .notRun(let reason) = observation.ending { return .skipped(reason: reason) }
    if let conflict = observation.conflicts.first { return .race(conflict) }
    if let race = observation.memory?.races.first { return .memoryRace(race) }
    if let failure = observation.exploration?.outcome.failure { return .explored(failure) }
    switch observation.ending {
    case .stalled:
      return stall(observation, in: scenario)
    case .signalled(let number):
      return .crashed(.signal(number, Verdict.Trap(observation), ownCall(observation)))
    case .outOfMemory(let mebibytes):
      return .crashed(.outOfMemory(mebibytes: mebibytes))
    case .flooded(let bytes):
      return .crashed(.flooded(bytes: bytes))
    case .floodedEvents(let bytes):
      return .crashed(.floodedEvents(bytes: bytes))
    case .outOfTime, .exited, .notRun:
      break
    }
    if let failure = observation.oracleFailures.first { return .violation(.oracle(failure)) }
    if let misuse = observation.misuses.first { return .violation(.misuse(misuse)) }
    if case .exited(let code) = observation.ending, code != 0 || !observation.finished {
      return .crashed(.exited(code: code))
    }
    if observation.finished {
      if observation.exploration != nil { return .passed }
      let isWhole = observation.completed == observation.operations
      return isWhole ? .passed : .violation(.miscount)
    }
    return .timedOut(.limit(slowPool(observation)))
  }

  /// The verdict of a child that stalled.
  private static func stall(_ observation: Observation, in scenario: Scenario) -> Verdict {
    let diagnosis = observation.waits.flatMap { Diagnosis(of: $0) }
    if scenario.oracles.contains(.completesOnce), !isHeld(diagnosis),
      let lost = LostCalls.count(in: observation)
    {
      return .violation(.lostCalls(lost, diagnosis))
    }
    let state = Verdict.PoolState(observation)
    guard let diagnosis, diagnosis.cause != .unknown,
      // If some code was not followed, the graph's likely cause is no better than a cause found
      // from threads and pools.
      diagnosis.isCertain || observation.waits?.isPartial == false || state.cause == .unknown
    else { return .deadlock(.pools(state, diagnosis)) }
    return .deadlock(.graph(diagnosis))
  }

  /// True if calls wait for an object that a thread holds: then no call is lost.
  private static func isHeld(_ diagnosis: Diagnosis?) -> Bool {
    switch diagnosis?.cause {
    case .self, .cycle, .starvation, .abandonedLock: true
    case .lostWakeUp, .suspended, .unknown, nil: false
    }
  }

  /// The diagnosis of a synchronous call on the thread's own queue, at which libdispatch traps. On
  /// Linux it writes no line to standard error.
  private static func ownCall(_ observation: Observation) -> Diagnosis? {
    guard let waits = observation.waits, waits.selfWait?.traps == true,
      let diagnosis = Diagnosis(of: waits), diagnosis.cause == .self
    else { return nil }
    return diagnosis
  }

  private static func slowPool(_ observation: Observation) -> Verdict.SlowPool? {
    guard let pool = observation.waits.flatMap({ Diagnosis(of: $0) })?.pool, pool.isOnlySlow
    else { return nil }
    return Verdict.SlowPool(threads: pool.threads, needed: pool.needed)
  }
}
