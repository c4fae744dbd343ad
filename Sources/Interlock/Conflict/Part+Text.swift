internal import SectionTable

extension Part {
  /// The longest text of a part in a report, in characters.
  private static let longestText = 100

  /// The text in a report.
  var text: String {
    let text = fullText
    return text.count <= Self.longestText ? text : text.prefix(Self.longestText) + "…"
  }
}
