import Findings
import Reports
import StressRunner

extension World {
  /// The output of `explain`: details about these kinds of findings, or a list of all kinds.
  func explainText(_ kinds: [String]) throws(UsageError) -> String {
    let width = min(100, max(60, output.width ?? 100))
    guard !kinds.isEmpty else {
      let longest = Rule.all.map(\.id.count).max() ?? 0
      return Rule.all.map { rule in
        rule.id + String(repeating: " ", count: longest - rule.id.count + 2) + rule.summary + "\n"
      }.joined()
    }
    var texts: [String] = []
    for kind in kinds {
      guard let rule = Rule.named(kind) else {
        throw UsageError(
          "There is no kind of finding '\(printable(kind))'",
          Suggestion(for: kind, among: Rule.all.map(\.id), shownBy: "\(command) explain"), .explain)
      }
      texts.append(Self.text(rule, width: width))
    }
    return texts.joined(separator: "\n")
  }

  private static func text(_ rule: Rule, width: Int) -> String {
    func paragraph(_ text: String) -> [String] {
      wrapped(text, width: width - 2).map { "  " + $0 }
    }
    let example = rule.example.split(separator: "\n", omittingEmptySubsequences: false)
    let effect =
      rule.level == .error
      ? "A finding of this kind fails a run."
      : "It does not fail a run,"
        + " unless --fail-on potential is given."
    var lines = wrapped("\(rule.id): \(rule.summary) \(effect)", width: width)
    lines += ["", "What it means:"] + paragraph(rule.meaning)
    lines += ["", "Example:"] + example.map { "  " + $0 }
    lines += ["", "To mend it:"] + paragraph(rule.remedy)
    return lines.map { $0 + "\n" }.joined()
  }
}
