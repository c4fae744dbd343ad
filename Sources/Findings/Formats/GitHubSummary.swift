import HangReports

extension FindingFormat {
  /// The summary of a step in GitHub Actions, in Markdown.
  package static let gitHubSummary = FindingFormat(
    name: "github-summary", summary: "Goes with 'github'.",
    destination: .environment("GITHUB_STEP_SUMMARY")
  ) { findings, context in
    let fresh = findings.filter { $0.knownBecause == nil }
    let errors = fresh.count { $0.level == .error }
    let known = findings.count - fresh.count
    let warnings = counted(fresh.count - errors, "warning")
    var text = "## Interlock: \(counted(errors, "error")), \(warnings)"
    text += known > 0 ? ", \(known) known\n\n" : "\n\n"
    if !context.isComplete { text += "The run ended early: not everything was judged.\n\n" }
    guard !findings.isEmpty else { return text + "Nothing was found.\n" }
    text += "| | kind | where | finding | replay |\n| --- | --- | --- | --- | --- |\n"
    for (index, finding) in findings.enumerated() {
      let row = row(finding, context)
      guard text.utf8.count + row.utf8.count < mostBytes else {
        return text + "\n… \(findings.count - index) more; the other reports have them.\n"
      }
      text += row
    }
    return text
  }

  /// The most bytes of a summary: GitHub drops a step's whole summary if it exceeds 1 MiB.
  private static let mostBytes = 900_000
  /// The most characters of a cell.
  private static let longestCell = 600

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func row(_ finding: Finding, _ context: Context) -> String {
    let sign = finding.knownBecause != nil ? "known" : finding.level.rawValue
    let location = finding.location(in: context.repository)
    let place = location.map { $0.path + ($0.line.map { ":\($0)" } ?? "") } ?? ""
    let cells = [
      sign, finding.rule.id, place, finding.headline, finding.origin?.replay ?? "",
    ]
    return "| " + cells.map(markdown).joined(separator: " | ") + " |\n"
  }

  /// Escapes a text so that Markdown shows no markup, link or HTML in it.
  private static func markdown(_ text: String) -> String {
    var result = ""
    for scalar in Printable.line(cutText(text, to: longestCell)).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\\", "`", "*", "_", "[", "]", "|", "~", "#", "!": result += "\\\(scalar)"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
