import Prediction
package import StressRunner
import Hangs

/// The line that is printed when a trial has been judged.
package struct TrialLine: Sendable {
  private let scenarioWidth: Int
  private let subjectWidth: Int
  private let style: TextStyle

  /// Creates a format whose columns fit the names of the trials.
  package init(_ trials: [Trial], style: TextStyle) {
    scenarioWidth = trials.map(\.scenario.name.count).max() ?? 0
    subjectWidth = trials.map(\.subject.count).max() ?? 0
    self.style = style
  }

  /// Formats a result: one line, followed by the reason if there is one.
  ///
  /// - Parameters:
  ///   - result: The judged trial.
  ///   - isUnderHeading: True if the line above names the scenario, so that this line need not.
  ///   - width: The terminal's columns, to which the reason is wrapped; `nil` keeps the reason on
  ///     one line, for programs that read a pipe by lines.
  /// - Returns: The text, without a line break at its end.
  package func text(
    _ result: TrialResult, isUnderHeading: Bool = false, width: Int?
  ) -> String {
    let scenarioWidth = isUnderHeading ? -2 : scenarioWidth
    let seen = result.observation
    let verdict = verdictText(result.verdict)
    let names = (isUnderHeading ? [] : [result.trial.scenario.name]) + [result.trial.subject]
    let counts: String
    if result.verdict.kind == .skipped {
      counts = ""
    } else if let record = seen.exploration {
      let orders = ExplorationFormatter.count(record.outcome, result.trial)
      counts = "\(orders)  \(secondsText(seen.seconds))"
    } else {
      counts = "\(seen.completed)/\(seen.operations)  \(secondsText(seen.seconds))"
    }
    let expected = result.isMet == false ? "  expected \(expectationText(result.expected))" : ""
    var line = style.marked("\(sign(met: result.isMet)) ", met: result.isMet)
    if let width, 2 + scenarioWidth + 2 + subjectWidth + 2 + verdict.count > width {
      line += narrow(names, verdict, [counts, String(expected.dropFirst(2))], result.isMet, width)
    } else {
      if !isUnderHeading { line += names[0].padded(to: scenarioWidth) + "  " }
      line += result.trial.subject.padded(to: subjectWidth) + "  "
      line += style.marked(verdict, met: result.isMet)
      if !(counts + expected).isEmpty {
        let used = 2 + scenarioWidth + 2 + subjectWidth + 2 + verdict.count
        line += gap(
          behind: verdict, endingAt: used, before: counts + expected, width: width)
        line += style.dim(counts) + expected
      }
    }
    if result.verdict.kind != .passed || seen.exploration != nil {
      let message = harmless(result.message)
      let sources = ExplorationFormatter.sources(seen.exploration).map { harmless($0) }
      for part in ([message] + sources).flatMap({ text in
        width.map { wrapped(text, width: $0 - 4) } ?? [text]
      }) {
        line += "\n    " + style.dim(part)
      }
    }
    for finding in result.unexpectedFindings {
      let text = potentialHeadline(finding)
      for part in width.map({ wrapped(text, width: $0 - 4) }) ?? [text] {
        line += "\n    " + style.yellow(part)
      }
    }
    return line
  }
}

extension TrialLine {
  /// The lines for a terminal that is too narrow for the columns: each part follows the previous
  /// one if there is room, and otherwise starts a new line.
  private func narrow(
    _ names: [String], _ verdict: String, _ rest: [String], _ isMet: Bool?, _ width: Int
  ) -> String {
    var parts = names.map { (width: $0.count, text: $0) }
    parts.append((verdict.count, style.marked(verdict, met: isMet)))
    parts += rest.filter { !$0.isEmpty }.map { ($0.count, style.dim($0)) }
    var text = ""
    // The sign takes two columns.
    var used = 2
    for part in parts {
      if text.isEmpty {
        used += part.width
      } else if used + 2 + part.width <= width {
        text += "  "
        used += 2 + part.width
      } else {
        text += "\n    "
        used = 4 + part.width
      }
      text += part.text
    }
    return text
  }

  /// The gap between the verdict and the rest: up to the column of the rest if the terminal has
  /// room, otherwise two spaces, otherwise a new line.
  private func gap(
    behind verdict: String, endingAt used: Int, before rest: String, width: Int?
  ) -> String {
    let spaces = max(0, 21 - verdict.count) + 2
    guard let width, used + spaces + rest.count > width else {
      return String(repeating: " ", count: spaces)
    }
    return used + 2 + rest.count > width ? "\n    " : "  "
  }
}

/// `deadlock (starvation)`
package func verdictText(_ verdict: Verdict) -> String {
  verdict.kind.rawValue + (verdict.cause.map { " (\($0.rawValue))" } ?? "")
}

/// Formats an expected verdict: `deadlock (starvation)`; `passed, potential: lock-order`;
/// `violation or race`.
package func expectationText(_ expectation: Expectation) -> String {
  func name(_ verdict: Verdict.Kind, _ cause: Diagnosis.Cause?) -> String {
    verdict.rawValue + (cause.map { " (\($0.rawValue))" } ?? "")
  }
  var text = name(expectation.verdict, expectation.cause)
  if let explored = expectation.explored { text += " or " + name(explored.verdict, explored.cause) }
  if expectation.isFinished { text += ", every order" }
  if let potential = expectation.potential {
    let kinds = potential.map(\.rawValue).sorted().joined(separator: ", ")
    text += ", potential: " + (kinds.isEmpty ? "nothing" : kinds)
  }
  return text
}
