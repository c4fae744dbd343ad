import Explorer
import Findings
import Interlock
import ProcessInspection
package import StressRunner

/// All evidence of a pair of scenario and subject, as text.
package struct EvidenceText: Sendable {
  /// The amounts that are shown; the rest is counted.
  private struct Cut {
    var conflicts: Int
    var groups: Int
    var frames: Int
    var outputLines: Int
    var passages: Int
    var diagnosis: Int
  }

  private let context: ReportContext
  private let style: TextStyle
  private let cut: Cut

  /// Determines how much is shown.
  ///
  /// - Parameters:
  ///   - context: The data for replay commands.
  ///   - style: The markup of the text.
  ///   - isVerbose: True to show everything, however long.
  package init(context: ReportContext, style: TextStyle, isVerbose: Bool) {
    self.context = context
    self.style = style
    cut =
      isVerbose
      ? Cut(
        conflicts: .max, groups: .max, frames: .max, outputLines: .max, passages: .max,
        diagnosis: .max)
      : Cut(
        conflicts: 3, groups: 8, frames: 12, outputLines: 8, passages: 40, diagnosis: 24)
  }

  /// The evidence of one trial, and the number of trials of the pair with this result.
  ///
  /// - Parameters:
  ///   - result: The trial to show.
  ///   - times: The number of trials of the pair with this result.
  ///   - count: The number of trials of the pair.
  /// - Returns: Lines; the first one is the heading.
  package func lines(_ result: TrialResult, times: Int, of count: Int) -> [String] {
    let seen = result.observation
    let expected =
      result.isMet == true
      ? "as expected"
      : "expected "
        + expectationText(result.expected)
    let often = count > 1 ? " (\(times) of \(count) trials)" : ""
    let heading =
      "\(sign(met: result.isMet)) \(result.trial.scenario.name) on \(result.trial.subject): "
      + "\(verdictText(result.verdict)), \(expected)\(often)"
    var lines = [style.marked(heading, met: result.isMet)]
    lines.append("  " + harmless(result.message))
    lines.append("  " + EvidenceFormatter.progress(of: result))
    if case .explored(let failure) = result.verdict {
      lines += (failure.evidence + failure.order).map { "  " + harmless($0) }
    }
    lines += diagnosisLines(result)
    lines += EvidenceFormatter.oracles(of: result).map { "  " + harmless($0) }
    lines += seen.misuses.map { "  " + harmless($0) }
    lines += scriptLines(result)
    lines += conflictLines(seen)
    lines += memoryLines(seen)
    lines += crashLines(seen)
    lines += threadLines(seen)
    lines += outputLines(seen)
    lines.append("  replay: " + style.bold(context.replay(result)))
    return lines
  }

  private func diagnosisLines(_ result: TrialResult) -> [String] {
    guard let diagnosis = result.explanation else { return [] }
    let shown = DiagnosisLines(
      diagnosis, hasHeadline: !VerdictMessage(result).hasHeadline, limit: cut.diagnosis)
    return shown.lines + rest(shown.left, "line", indent: 4)
  }

  private func scriptLines(_ result: TrialResult) -> [String] {
    guard let record = result.observation.script, let script = result.trial.scenario.workload.script
    else { return [] }
    let lines = InterleavingText(record, of: script).lines(limit: cut.passages)
    return ["  interleaving:"] + lines.map { "    " + $0 }
  }

  private func conflictLines(_ seen: Observation) -> [String] {
    var lines: [String] = []
    for conflict in seen.conflicts.prefix(cut.conflicts) {
      let times = conflict.count > 1 ? ", \(conflict.count) times" : ""
      lines.append("  conflict on '\(harmless(conflict.fullName))'\(times)")
      for (title, side) in EvidenceFormatter.sides(conflict) { lines += sideLines(title, side) }
      if let witness = conflict.witness {
        lines += [
          "    before: \(harmless(witness.before))", "    after:  \(harmless(witness.after))",
        ]
      }
      if let heldOpen = conflict.heldOpen { lines.append("    \(heldOpen)") }
      lines.append("    " + conflict.meaning)
    }
    return lines + rest(seen.conflicts.count - cut.conflicts, "conflict", indent: 2)
  }

  private func memoryLines(_ seen: Observation) -> [String] {
    guard let record = seen.memory else { return [] }
    var lines: [String] = []
    for race in record.races.prefix(cut.conflicts) {
      lines.append("  race in memory" + (race.variable.map { " of \(harmless($0))" } ?? ""))
      for (title, side) in [("first", race.first), ("second", race.second)] {
        lines += ["    \(title): \(side.access)  \(side.place)", "      \(harmless(side.owner))"]
        lines += side.lockLines.map { "      " + harmless($0) }
        lines += stackLines(side.stack, indent: 6)
      }
      lines.append("    " + race.meaning)
    }
    lines += rest(record.races.count - cut.conflicts, "race", indent: 2)
    if let reason = record.lostBecause {
      lines.append("  races in memory were no longer looked for: \(harmless(reason))")
    }
    return lines
  }

  private func sideLines(_ title: String, _ side: Conflict.Side) -> [String] {
    var lines = [
      "    \(title): \(harmless(side.claim))  \(side.place)",
      "      \(harmless(side.owner))",
    ]
    lines += stackLines(side.stack, indent: 6)
    if let note = side.stackNote { lines.append("      (\(note))") }
    return lines
  }

  private func crashLines(_ seen: Observation) -> [String] {
    guard let crash = seen.crash else { return [] }
    return ["  crash: \(harmless(crash.reason))"] + stackLines(crash.stack, indent: 4)
  }

  private func threadLines(_ seen: Observation) -> [String] {
    var lines: [String] = []
    if !seen.threadCounts.isEmpty {
      lines.append("  threads over time: " + EvidenceFormatter.threadCounts(seen.threadCounts))
    }
    guard !seen.threads.isEmpty else { return lines }
    let total = seen.threads.reduce(0) { $0 + $1.count }
    lines.append("  threads at the end: \(total)")
    for group in seen.threads.prefix(cut.groups) {
      lines.append("    \(group.count) × '\(harmless(group.name))', \(group.state)")
      lines += stackLines(group.stack, indent: 6)
    }
    return lines + rest(seen.threads.count - cut.groups, "group of threads", indent: 4)
  }

  private func stackLines(_ stack: [StackFrame], indent: Int) -> [String] {
    let space = String(repeating: " ", count: indent)
    return stack.prefix(cut.frames).enumerated().map { "\(space)#\($0.offset) \($0.element)" }
      + rest(stack.count - cut.frames, "frame", indent: indent)
  }

  private func outputLines(_ seen: Observation) -> [String] {
    let output = seen.errorOutput.split(separator: "\n")
    guard !output.isEmpty else { return [] }
    return ["  the last of its standard error:"]
      + output.suffix(cut.outputLines).map { "    | " + harmless($0) }
  }

  private func rest(_ count: Int, _ what: String, indent: Int) -> [String] {
    guard count > 0 else { return [] }
    let space = String(repeating: " ", count: indent)
    return ["\(space)… \(count) more \(what)\(count == 1 ? "" : "s") (--verbose shows all)"]
  }
}
