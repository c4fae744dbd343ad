import Interlock
import Prediction
package import StressRunner

/// The text after a run: the tables, the evidence and the summary.
package struct TextReport: Sendable {
  private let context: ReportContext
  private let style: TextStyle
  private let isVerbose: Bool
  private let requiresContention: Bool
  /// Returns true if a trial fails only because of old findings.
  private let isKnown: @Sendable (TrialResult) -> Bool

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - context: The data for replay commands.
  ///   - style: The markup of the text.
  ///   - isVerbose: True to show the evidence of expected failures too, and without cuts.
  ///   - requiresContention: True if a resource used by a single owner makes the run red.
  ///   - isKnown: Returns true if a trial fails only because of old findings.
  package init(
    context: ReportContext, style: TextStyle, isVerbose: Bool, requiresContention: Bool = false,
    isKnown: @escaping @Sendable (TrialResult) -> Bool = { _ in false }
  ) {
    self.isKnown = isKnown
    self.context = context
    self.style = style
    self.isVerbose = isVerbose
    self.requiresContention = requiresContention
  }

  /// The whole report.
  ///
  /// - Parameters:
  ///   - results: The judged trials, in any order.
  ///   - trials: The planned trials.
  ///   - seconds: The duration of the run.
  ///   - width: The terminal's columns.
  /// - Returns: The text, with a line break at its end.
  package func text(
    _ results: [TrialResult], of trials: [Trial], seconds: Double, width: Int
  ) -> String {
    let listed = Set(trials.filter { $0.scenario.subjects != nil }.map(\.scenario.name))
    func isListed(_ trial: Trial) -> Bool { listed.contains(trial.scenario.name) }
    var parts: [[String]] = []
    if listed.isEmpty {
      parts.append(VerdictTable(results, of: trials).lines(width: width, style: style))
    } else {
      parts.append(
        ListedTable(results.filter { isListed($0.trial) }, of: trials.filter(isListed))
          .lines(width: width, style: style))
      parts.append(
        VerdictTable(results.filter { !isListed($0.trial) }, of: trials.filter { !isListed($0) })
          .lines(width: width, style: style))
    }
    let byPair = Dictionary(grouping: results) { TrialPair($0.trial) }
    var seen: Set<TrialPair> = []
    let pairs = trials.map(TrialPair.init).filter { seen.insert($0).inserted }
    // Show the order of a single exploration: it was run for that.
    let isAlone = trials.count == 1 && trials.first?.explore != nil
    parts += evidence(of: pairs, byPair, isAlone: isAlone)
    parts += potential(of: pairs, byPair)
    parts.append(
      CoverageLines(
        ResourceCoverage(results), style: style, isVerbose: isVerbose,
        isRequired: requiresContention,
        width: width
      ).lines)
    parts.append(
      blindness(results) + unlooked(results) + undecided(results) + [
        summary(results, of: trials, seconds: seconds)
      ])
    return parts.filter { !$0.isEmpty }
      .map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  /// A block for each pair with an unmet expectation, in the order of the plan; with `--verbose`,
  /// also for each pair that failed as expected.
  private func evidence(
    of pairs: [TrialPair], _ byPair: [TrialPair: [TrialResult]], isAlone: Bool
  ) -> [[String]] {
    let text = EvidenceText(context: context, style: style, isVerbose: isVerbose)
    return pairs.compactMap { pair in
      let all = byPair[pair] ?? []
      var shown = all.filter { $0.isMet == false }
      if shown.isEmpty, isVerbose || isAlone {
        shown = all.filter { $0.isMet == true && $0.verdict.kind != .passed }
      }
      return shown.first.map { text.lines($0, times: shown.count, of: all.count) }
    }
  }

  /// A block for each pair with unexpected predicted findings; with `--verbose`, also for the other
  /// pairs with findings.
  private func potential(
    of pairs: [TrialPair], _ byPair: [TrialPair: [TrialResult]]
  ) -> [[String]] {
    let text = PotentialText(context: context, style: style, isVerbose: isVerbose)
    return pairs.compactMap { pair in
      let all = byPair[pair] ?? []
      let shown = all.filter {
        isVerbose ? !$0.observation.prediction.findings.isEmpty : !$0.unexpectedFindings.isEmpty
      }
      return shown.first.map { text.lines($0, times: shown.count, of: all.count) }
    }
  }

  /// Why prediction was off although it was requested.
  private func unlooked(_ results: [TrialResult]) -> [String] {
    let reasons = results.compactMap { result in
      if case .unavailable(let reason) = result.observation.prediction.state { reason } else { nil }
    }
    return Set(reasons).sorted().map { style.dim("no prediction: \(harmless($0))") }
  }

  /// Oracles that the subjects' data cannot decide, and memory races that unchecked code may order,
  /// each with the subjects.
  private func undecided(_ results: [TrialResult]) -> [String] {
    struct Question: Hashable {
      var title: String
      var evidence: String
    }
    var subjects: [Question: [String]] = [:]
    for result in results {
      let seen = result.observation
      let oracles = seen.undecidedOracles.map {
        Question(title: $0.oracle.rawValue, evidence: $0.evidence)
      }
      let races = (seen.memory?.undecided ?? []).map {
        Question(title: "a race in memory", evidence: harmless("\($0.sentence); \($0.meaning)"))
      }
      for question in oracles + races
      where subjects[question]?.contains(result.trial.subject) != true {
        subjects[question, default: []].append(result.trial.subject)
      }
    }
    return subjects.map { question, subjects in
      let named = subjects.prefix(5).map(harmless).joined(separator: ", ")
      let more = subjects.count > 5 ? " and \(subjects.count - 5) more" : ""
      return "not decided: \(question.title), on \(named)\(more): \(question.evidence)"
    }.sorted().map(style.dim)
  }

  /// Why a deadlock has no diagnosis, if the build is the reason.
  private func blindness(_ results: [TrialResult]) -> [String] {
    guard let reason = context.sight.reason,
      results.contains(where: { $0.verdict.kind == .deadlock && $0.verdict.diagnosis == nil })
    else { return [] }
    return [style.dim("no diagnosis: \(reason)")]
  }

  /// The number of trials that met their expectations, in one line.
  func summary(
    _ results: [TrialResult], of trials: [Trial], seconds: Double
  ) -> String {
    let summary = ReportSummary(results)
    let known = results.count { $0.isMet == false && isKnown($0) }
    let met: Bool? = summary.unmet > known ? false : summary.met > 0 ? true : nil
    var text = "\(sign(met: met)) \(summary.count) trial\(summary.count == 1 ? "" : "s"): "
    text += "\(summary.met) met, \(summary.unmet) unmet\(known > 0 ? " (\(known) known)" : ""),"
    text += " \(summary.skipped) skipped"
    text += " (\(secondsText(seconds)))"
    let potential = results.count { !$0.unexpectedFindings.isEmpty }
    if potential > 0 { text += ", \(potential) with potential findings" }
    if results.count < trials.count {
      text += ", \(trials.count - results.count) of \(trials.count) not judged"
    } else if summary.count == summary.skipped {
      text += ": nothing was judged"
    }
    return style.marked(text, met: met)
  }
}
