import Findings
import Interlock
import ProcessInspection
package import StressRunner

extension TrialResult {
  /// The reason for the verdict in one line, with names.
  package var message: String { VerdictMessage(self).text }
}

/// The message of a verdict, in one line.
struct VerdictMessage {
  let text: String
  /// True if the line contains the number of completed calls.
  private(set) var hasProgress = true
  /// True if the line contains the headline of the wait-for graph's diagnosis.
  private(set) var hasHeadline = false
  /// The oracle's failure that the line contains; `nil` for none.
  private(set) var failure: Observation.OracleFailure?

  /// Formats the verdict of a trial.
  init(_ result: TrialResult) {
    let seen = result.observation
    let limits = result.trial.scenario.limits
    switch result.verdict {
    case .passed where seen.exploration != nil:
      text = seen.exploration.map { ExplorationFormatter.claim($0, result.trial) } ?? ""
      hasProgress = false
    case .explored(let failed):
      text = ExplorationFormatter.failure(failed, seen.oracleFailures)
      failure = seen.oracleFailures.first
      hasProgress = false
    case .passed:
      let order = seen.script?.givenUp.map { "; as expected, \(Self.givenUp($0))" }
      text = progressText(seen) + (order ?? "")
    case .race(let conflict):
      text = Self.race(conflict, seen)
      hasProgress = false
    case .memoryRace(let race):
      text = Self.memoryRace(race, seen)
      hasProgress = false
    case .deadlock(let deadlock):
      text = DeadlockMessage.message(deadlock, seen)
      if case .graph = deadlock { hasHeadline = true }
    case .violation(let violation):
      text = Self.violation(violation, seen)
      switch violation {
      case .oracle(let failed):
        failure = failed
        hasProgress = false
      case .misuse: hasProgress = false
      case .lostCalls, .miscount: break
      }
    case .crashed(let crash):
      text = CrashMessage.message(crash, seen, limits)
      switch crash {
      case .signal, .exited: hasProgress = !seen.finished
      case .outOfMemory, .flooded, .floodedEvents: break
      }
      hasHeadline = result.verdict.diagnosis != nil
    case .timedOut(.limit(let pool)):
      text = Self.timeLimit(pool, seen, limits)
    case .timedOut(.order(let reason)):
      text = "\(Self.givenUp(reason)); \(progressText(seen))"
    case .skipped(let reason):
      text = reason
      hasProgress = false
    }
  }

  private static func givenUp(_ reason: String) -> String {
    "the script's order was given up: \(reason)"
  }

  private static func race(_ conflict: Conflict, _ seen: Observation) -> String {
    var text = conflict.sentence
    if conflict.witness != nil { return text }
    if case .signalled(let number) = seen.ending { text += "; then \(CrashMessage.death(number))" }
    return text
  }

  private static func memoryRace(_ race: MemoryRace, _ seen: Observation) -> String {
    let others = (seen.memory?.races.count ?? 1) - 1
    var text = race.sentence
    if others > 0 { text += " (and \(others) more race\(others == 1 ? "" : "s"))" }
    if case .signalled(let number) = seen.ending { text += "; then \(CrashMessage.death(number))" }
    return text
  }

  private static func violation(_ violation: Verdict.Violation, _ seen: Observation) -> String {
    func others(_ count: Int) -> String { count > 0 ? " (and \(count) more)" : "" }
    switch violation {
    case .oracle(let failure):
      let more = others(seen.oracleFailures.count + seen.misuses.count - 1)
      return "\(failure.oracle.rawValue): \(failure.evidence)\(more)"
    case .misuse(let misuse):
      return "section misused: \(misuse)\(others(seen.misuses.count - 1))"
    case .lostCalls(let count, _):
      let calls = count == 1 ? "1 call was" : "\(count) calls were"
      return "\(Oracle.completesOnce.rawValue): \(calls) accepted and never completed;"
        + " \(progressText(seen)), and no thread is at work on another"
    case .miscount:
      return "the workload ended with \(progressText(seen)) instead of each exactly once"
    }
  }

  private static func timeLimit(
    _ pool: Verdict.SlowPool?, _ seen: Observation, _ limits: Limits
  ) -> String {
    var text = progressText(seen) + " when its \(limitText(limits.timeSeconds)) were up"
    if seen.completed >= seen.operations && seen.operations > 0 {
      text += "; the workload had not ended"
    }
    if let group = seen.threads.first(where: { $0.state == "running" }) {
      text += "; \(group.count) thread\(group.count == 1 ? "" : "s") running"
      if let frame = group.stack.first(where: { !$0.isSystem }) { text += " in \(frame)" }
    } else if seen.threads.contains(where: { $0.state == "stopped" }) {
      text += "; it is stopped by a signal"
    }
    if let pool {
      text +=
        "; its pool had \(pool.threads) of the \(pool.needed) threads that it needs, and gets"
        + " one more a second here: slow, not stuck"
    }
    if limits.timeSeconds <= limits.stallSeconds {
      text +=
        "; its time limit of \(limitText(limits.timeSeconds)) is no longer than the stall window of "
        + "\(limitText(limits.stallSeconds)), so no deadlock could be detected"
    }
    return text
  }
}

/// `417 of 1000 calls completed`
func progressText(_ seen: Observation) -> String {
  "\(seen.completed) of \(seen.operations) calls completed"
}
