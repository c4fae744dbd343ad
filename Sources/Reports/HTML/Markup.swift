import Findings

/// Escapes and formats the text of a page. Text from subjects must stay text.
enum Markup {
  /// Escapes a text for an element or a quoted attribute.
  static func text(_ text: String) -> String { XMLText.escaped(text) }

  /// The first characters of a text, with an ellipsis at the end if the text is cut; not escaped.
  static func cut(_ text: String, to most: Int) -> String {
    cutText(text, to: most)
  }

  /// A list of lines; empty for no lines.
  static func list(_ lines: [String], _ name: String = "ul") -> String {
    guard !lines.isEmpty else { return "" }
    return "<\(name)>\n" + lines.map { "<li>\(text($0))</li>\n" }.joined() + "</\(name)>\n"
  }

  /// A length in the units of a drawing, to a tenth.
  static func number(_ value: Double) -> String {
    let tenths = Int((min(max(-1e12, value), 1e12) * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
    return sign + (rest == 0 ? "\(whole)" : "\(whole).\(rest)")
  }
}
