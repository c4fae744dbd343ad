import Explorer
package import Findings
import HangReports
import Interlock
import Prediction
import ProcessInspection
package import StressRunner
import Hangs

extension TrialResult {
  /// The findings of the trial that fail the run or are potential faults, each kind at each place
  /// once. A trial that shows what its scenario expects has no findings.
  ///
  /// - Parameters:
  ///   - settings: The findings that fail the run.
  ///   - context: How to replay the trial, and where its scenario is.
  /// - Returns: The findings, the verdict's own first.
  package func findings(_ settings: FailureSettings, _ context: ReportContext) -> [Finding] {
    var findings: [Finding] = []
    if isMet == false { findings += faults }
    if isMet == nil, settings.onSkipped {
      findings.append(Finding(.notJudged, message: "skipped: \(message)"))
    }
    findings += unexpectedFindings.map {
      Finding($0, level: settings.onPotential ? .error : .warning)
    }
    let origin = Finding.Origin(
      group: trial.scenario.name, name: trial.subject, seed: trial.seed,
      replay: context.replay(self), file: context.scenarioFiles[trial.scenario.name])
    var known: Set<Finding.Key> = []
    return findings.compactMap { finding in
      var finding = finding
      finding.origin = origin
      // Count trials here, not overlaps.
      finding.count = 1
      finding.knownBecause = settings.known?.reason(for: finding, on: settings.today)
      return known.insert(finding.key).inserted ? finding : nil
    }
  }

  /// True if the trial fails the run only because of old findings.
  package func isKnown(_ settings: FailureSettings, _ context: ReportContext) -> Bool {
    guard settings.known != nil else { return false }
    let errors = findings(settings, context).filter { $0.level == .error }
    return !errors.isEmpty && errors.allSatisfy { $0.knownBecause != nil }
  }

  /// The faults of a trial whose verdict is not the expected one, the verdict's own first.
  private var faults: [Finding] {
    guard var first = verdictFinding else {
      return [
        Finding(
          .notAsExpected,
          message: "\(verdictText(verdict)), expected \(expectationText(expected))"
            + (message.isEmpty ? "" : ": \(message)"))
      ]
    }
    if expected.verdict != .passed {
      first.message += " (expected \(expectationText(expected)))"
    }
    var faults = [first]
    faults += observation.conflicts.dropFirst(isRace ? 1 : 0).map { Finding($0) }
    faults += (observation.memory?.races ?? []).dropFirst(isMemoryRace ? 1 : 0).map { Finding($0) }
    let shown = VerdictMessage(self).failure
    faults += observation.oracleFailures.filter { $0 != shown }.map { failed in
      let name = failed.oracle.rawValue
      return Finding(.oracle(name), message: "\(name): \(failed.evidence)")
    }
    return faults
  }

  private var isRace: Bool {
    if case .race = verdict { true } else { false }
  }

  private var isMemoryRace: Bool {
    if case .memoryRace = verdict { true } else { false }
  }

  /// The finding of the verdict; `nil` if the trial passed or was skipped.
  private var verdictFinding: Finding? {
    var finding: Finding
    switch verdict {
    case .passed, .skipped: return nil
    case .race(let conflict):
      finding = Finding(conflict)
      finding.message = message
    case .memoryRace(let race):
      finding = Finding(race)
      finding.message = message
    case .deadlock: finding = hang(.deadlock(verdict.cause))
    case .violation(let violation): finding = self.finding(violation)
    case .crashed(let crash): finding = self.finding(crash)
    case .timedOut(.limit):
      finding = Finding(.timeLimit, message: message, groups: runningGroups)
    case .timedOut(.order): finding = Finding(.orderNotTried, message: message)
    case .explored(let failure):
      finding = Finding(failure, oracle: observation.oracleFailures.first)
      finding.message = message
    }
    if let record = observation.script { finding.steps = Self.steps(record) }
    return finding
  }

  /// A hang, described by its diagnosis, or by its threads if it has none.
  private func hang(_ rule: Rule) -> Finding {
    guard let explanation else {
      return Finding(rule, message: message, groups: observation.threads)
    }
    var finding = Finding(explanation.withoutHarness, message: message)
    finding.rule = rule
    return finding
  }

  private func finding(_ violation: Verdict.Violation) -> Finding {
    switch violation {
    case .oracle(let failed): Finding(.oracle(failed.oracle.rawValue), message: message)
    case .misuse: Finding(.sectionMisuse, message: message)
    case .lostCalls: hang(.completesOnce)
    case .miscount: Finding(.completesOnce, message: message)
    }
  }

  private func finding(_ crash: Verdict.Crash) -> Finding {
    var finding: Finding
    switch crash {
    case .signal where verdict.cause == .`self`: return hang(.deadlock(verdict.cause))
    case .signal: finding = Finding(.crash, message: message)
    case .outOfMemory: finding = Finding(.outOfMemory, message: message)
    case .flooded, .floodedEvents: finding = Finding(.tooMuchOutput, message: message)
    case .exited: finding = Finding(.earlyExit, message: message)
    }
    if let crash = observation.crash, let place = Finding.users(crash.stack) ?? crash.stack.first {
      finding.sides = [.init(title: crash.reason, place: place, stack: crash.stack)]
    }
    return finding
  }

  private var runningGroups: [Observation.ThreadGroup] {
    let running = observation.threads.filter { $0.state == "running" }
    return running.isEmpty ? observation.threads : running
  }

  private static func steps(_ record: ScriptRecord) -> [Finding.Step] {
    record.passages.map { .init(party: $0.role ?? "others", text: $0.text) }
  }
}
