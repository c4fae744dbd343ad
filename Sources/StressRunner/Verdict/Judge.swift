import Interlock
import ProcessInspection
import WaitForGraph

/// Says what an observation means: a pure function, so that it is tested without starting a thread.
public enum Judge {
  /// The verdict of an observation of a scenario's trial.
  ///
  /// What comes first decides: a trial that was not run; a conflict, whatever came of it; a
  /// deadlock; a crash, or what the child was stopped for; an oracle or a misuse; time; a silent
  /// exit.
  ///
  /// A script whose order was given up shows nothing, so its trial is not `passed` but `timedOut`;
  /// unless the scenario says of this subject that its fix excludes the order.
  public static func verdict(
    of observation: Observation, in scenario: Scenario, on subject: String
  ) -> Verdict {
    let verdict = verdict(of: observation, in: scenario)
    guard verdict.kind == .passed, let reason = observation.script?.givenUp else { return verdict }
    let order = "the script's order was given up: \(reason)"
    return scenario.expectation(for: subject).excludesOrder
      ? Verdict(kind: .passed, message: "\(verdict.message); as expected, \(order)")
      : Verdict(kind: .timedOut, message: "\(order); \(verdict.message)")
  }

  /// The same without a look at a script's order.
  static func verdict(of observation: Observation, in scenario: Scenario) -> Verdict {
    if case .notRun(let reason) = observation.ending {
      return Verdict(kind: .skipped, message: reason)
    }
    if let conflict = observation.conflicts.first {
      return Verdict(kind: .race, message: message(of: conflict, and: observation))
    }
    switch observation.ending {
    case .stalled:
      if scenario.oracles.contains(.completesOnce), !isHeld(observation),
        let lost = lostCalls(observation)
      {
        return Verdict(kind: .violation, message: "\(Oracle.completesOnce.rawValue): \(lost)")
      }
      return Deadlock(observation, in: scenario).verdict
    case .signalled(let number):
      if let verdict = verdict(ofTrap: number, observation) { return verdict }
      return Verdict(kind: .crashed, message: CrashSummary(observation, signal: number).message)
    case .outOfMemory(let mebibytes):
      let limit = scenario.limits.memoryMebibytes
      return Verdict(
        kind: .crashed,
        message:
          "stopped: \(mebibytes) MiB of resident memory, more than the \(limit) MiB allowed; "
          + progress(observation))
    case .flooded(let bytes):
      return Verdict(
        kind: .crashed,
        message: "stopped: it wrote \(bytes >> 20) MiB of output, more than the "
          + "\(ChildProcess.mostOutput >> 20) MiB allowed; \(progress(observation))")
    case .floodedEvents(let bytes):
      return Verdict(
        kind: .crashed,
        message: "stopped: it wrote \(bytes) bytes to the pipe on which its process reports, and a"
          + " subject must not write there; \(progress(observation))")
    case .outOfTime, .exited, .notRun:
      break
    }
    if let failure = observation.oracleFailures.first {
      let more = others(observation.oracleFailures.count + observation.misuses.count - 1)
      return Verdict(
        kind: .violation, message: "\(failure.oracle.rawValue): \(failure.evidence)\(more)")
    }
    if let misuse = observation.misuses.first {
      let more = others(observation.misuses.count - 1)
      return Verdict(kind: .violation, message: "section misused: \(misuse)\(more)")
    }
    if case .outOfTime = observation.ending, !observation.finished {
      return Verdict(kind: .timedOut, message: timeMessage(observation, in: scenario))
    }
    return ended(observation)
  }

  /// Of a child that libdispatch ended for a synchronous call on a queue that its thread was on:
  /// without a word of its own, on Linux.
  private static func verdict(ofTrap signal: Int32, _ observation: Observation) -> Verdict? {
    guard let waits = observation.waits, waits.selfWait?.traps == true,
      let diagnosis = Diagnosis(of: waits), diagnosis.cause == .self
    else { return nil }
    let crash = CrashSummary(observation, signal: signal).message
    // The first detail is the line that asks again.
    let lines = [diagnosis.headline] + diagnosis.details.prefix(1) + [crash]
    return Verdict(kind: .crashed, cause: .self, message: lines.joined(separator: "; "))
  }

  /// Whether calls wait for what somebody has: then none is lost.
  private static func isHeld(_ observation: Observation) -> Bool {
    switch observation.waits.flatMap({ Diagnosis(of: $0) })?.cause {
    case .self, .cycle, .starvation, .abandonedLock: true
    case .lostWakeUp, .suspended, .unknown, nil: false
    }
  }

  /// Calls that were accepted and that nobody will complete: every caller has begun, and no thread
  /// is in anybody's code but the runner's, so none is blocked over a call either. `nil` where that
  /// is not so, or where a stack is missing to tell.
  private static func lostCalls(_ observation: Observation) -> String? {
    guard observation.callersInside > 0, observation.callersWaiting == 0,
      !observation.threads.isEmpty
    else { return nil }
    let isAnyAtWork = observation.threads.contains { group in
      guard !group.stack.isEmpty else { return true }
      // The innermost that is not the system's decides: whose code it is that waits.
      guard let frame = group.stack.first(where: { $0.isRunners || !$0.isSystem }) else {
        // A whole stack ends where the C library or libdispatch has started the thread. The
        // system's unwinder ends earlier in functions of Swift's libraries that have no unwind
        // table, as `wait(timeout:)`: whose code is further out is not known then.
        return group.stack.last.map { !$0.isPoolMachinery } ?? true
      }
      return !frame.isRunners && frame.function != nil
    }
    guard !isAnyAtWork else { return nil }
    let lost = observation.operations - observation.completed
    let calls = lost == 1 ? "1 call was" : "\(lost) calls were"
    return "\(calls) accepted and never completed; \(progress(observation)),"
      + " and no thread is at work on another"
  }

  /// Of a child that ended by itself, with nothing against it yet.
  private static func ended(_ observation: Observation) -> Verdict {
    let code: Int32
    if case .exited(let exited) = observation.ending { code = exited } else { code = 0 }
    guard observation.finished else {
      return Verdict(
        kind: .crashed,
        message: "exited with code \(code) before the workload ended; \(progress(observation))")
    }
    guard code == 0 else {
      return Verdict(
        kind: .crashed, message: "exited with code \(code) after the workload had ended")
    }
    guard observation.completed == observation.operations else {
      return Verdict(
        kind: .violation,
        message: "the workload ended with \(progress(observation)) instead of each exactly once")
    }
    return Verdict(kind: .passed, message: progress(observation))
  }

  private static func message(of conflict: Conflict, and observation: Observation) -> String {
    func act(_ side: Conflict.Side) -> String {
      "\(side.mode.writes ? "a writer" : "a reader")\(side.synched ? " that claims a lock" : "")"
    }
    let part = conflict.part.map { " [\($0)]" } ?? ""
    if let witness = conflict.witness {
      return "'\(conflict.resource)\(part)': unmarked code changed it beside"
        + " \(act(conflict.first)) at \(conflict.first.place): \(witness.before) became"
        + " \(witness.after)"
    }
    var text =
      "'\(conflict.resource)\(part)': \(act(conflict.second)) at \(conflict.second.place) came in "
      + "beside \(act(conflict.first)) at \(conflict.first.place)"
    if conflict.count > 1 { text += ", \(conflict.count) times" }
    if case .signalled(let number) = observation.ending {
      text += "; then \(CrashSummary.name(ofSignal: number))"
    }
    return text
  }

  private static func timeMessage(_ observation: Observation, in scenario: Scenario) -> String {
    var text = progress(observation) + " when its \(seconds(scenario.limits.timeSeconds)) were up"
    if observation.completed >= observation.operations && observation.operations > 0 {
      text += "; the workload had not ended"
    }
    if let group = observation.threads.first(where: { $0.state == "running" }) {
      text += "; \(threadCount(group.count)) running"
      if let frame = group.stack.first(where: { !$0.isSystem }) { text += " in \(frame)" }
    } else if observation.threads.contains(where: { $0.state == "stopped" }) {
      text += "; it is stopped by a signal"
    }
    if let pool = observation.waits.flatMap({ Diagnosis(of: $0) })?.pool, pool.isOnlySlow {
      text +=
        "; its pool had \(pool.threads) of the \(pool.needed) threads that it needs, and gets"
        + " one more a second here: slow, not stuck"
    }
    let limits = scenario.limits
    if limits.timeSeconds <= limits.stallSeconds {
      text +=
        "; its time limit of \(seconds(limits.timeSeconds)) is no longer than the stall window of "
        + "\(seconds(limits.stallSeconds)), so no deadlock could be told"
    }
    return text
  }

  private static func others(_ count: Int) -> String {
    count > 0 ? " (and \(count) more)" : ""
  }

  /// "417 of 1000 calls completed".
  static func progress(_ observation: Observation) -> String {
    "\(observation.completed) of \(observation.operations) calls completed"
  }

  /// "2.1 s".
  static func seconds(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }

  /// "1 thread", "7 threads".
  static func threadCount(_ count: Int) -> String {
    count == 1 ? "1 thread" : "\(count) threads"
  }
}
