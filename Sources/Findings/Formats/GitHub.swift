import HangReports

extension FindingFormat {
  /// Workflow commands, which GitHub Actions shows next to the changed lines.
  package static let gitHub = FindingFormat(
    name: "github",
    summary: "Print the findings as annotations of GitHub Actions when the run is over, at most ten"
      + " of a kind, and all of them to the step's summary; without being asked in GitHub Actions.",
    destination: .output
  ) { findings, context in
    var text = ""
    for kind in ["error", "warning", "notice"] {
      let all = findings.filter { command($0) == kind }
      text += all.prefix(mostAnnotations).map { annotation($0, kind, context) }.joined()
      if all.count > mostAnnotations {
        // Write plain text: a further command would exceed the number of annotations that GitHub
        // shows.
        text += "… \(all.count - mostAnnotations) more of kind '\(kind)': see the step's summary\n"
      }
    }
    return text
  }

  /// The number of annotations of a kind that GitHub shows for a step.
  private static let mostAnnotations = 10
  /// The most characters of an annotation.
  private static let longestAnnotation = 4000

  private static func command(_ finding: Finding) -> String {
    finding.knownBecause == nil ? finding.level.rawValue : "notice"
  }

  private static func annotation(
    _ finding: Finding, _ kind: String, _ context: Context
  ) -> String {
    var properties: [String] = []
    if let location = finding.location(in: context.repository), location.isInside {
      properties.append("file=" + property(location.path))
      if let line = location.line { properties.append("line=\(line)") }
    }
    properties.append("title=" + property("Interlock: \(finding.rule.id)"))
    var lines = [finding.headline]
    lines += finding.sides.dropFirst().map { side in
      side.title + (context.repository.location(of: side.place).map { " at \(text($0))" } ?? "")
    }
    if let replay = finding.origin?.replay { lines.append("replay: \(replay)") }
    let message = cutText(lines.joined(separator: "\n"), to: longestAnnotation)
    return "::\(kind) \(properties.joined(separator: ","))::\(data(message))\n"
  }

  private static func text(_ location: Repository.Location) -> String {
    location.path + (location.line.map { ":\($0)" } ?? "")
  }

  /// The message of a workflow command, in one line.
  private static func data(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Printable.line(String($0)).replacing("%", with: "%25") }
      .joined(separator: "%0A")
  }

  /// A property of a workflow command.
  private static func property(_ text: String) -> String {
    Printable.line(text).replacing("%", with: "%25").replacing(":", with: "%3A")
      .replacing(",", with: "%2C")
  }
}
