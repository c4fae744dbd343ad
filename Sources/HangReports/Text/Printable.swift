/// Escapes text from the program under test: control characters must not reach a terminal or a
/// page.
package enum Printable {
  /// The most characters of a label or a name.
  static let longestLabel = 48

  /// The text on one line. Characters that move a cursor or change the writing direction are
  /// escaped.
  package static func line(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isUnsafe(scalar) {
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A label: like `line(_:)`, and cut if it is long.
  package static func label(_ text: String) -> String { cut(line(text), to: longestLabel) }

  /// The first characters of a text, with an ellipsis if the text is cut.
  static func cut(_ text: String, to most: Int) -> String {
    guard text.count > most else { return text }
    return text.prefix(max(0, most - 1)) + "…"
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }
}
