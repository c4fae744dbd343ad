/// Escapes and formats the text of a page. Text from subjects must stay text.
enum Markup {
  /// Escapes a text for an element or a quoted attribute, so that neither a browser nor an XML
  /// parser takes it for markup.
  ///
  /// Control characters, and characters that change the direction of writing, are spelled out: XML
  /// forbids the former, and the latter mislead a reader.
  static func text(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default:
        if isUnsafe(scalar) {
          result += "\\u{" + String(scalar.value, radix: 16) + "}"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }

  /// The first characters of a text, with an ellipsis as the last if some are left out; not
  /// escaped.
  static func cut(_ text: String, to most: Int) -> String {
    text.count > most ? text.prefix(max(0, most - 1)) + "…" : text
  }

  /// A list of lines; empty for no lines.
  static func list(_ lines: [String], _ name: String = "ul") -> String {
    guard !lines.isEmpty else { return "" }
    return "<\(name)>\n" + lines.map { "<li>\(text($0))</li>\n" }.joined() + "</\(name)>\n"
  }

  /// A length in the units of a drawing, to a tenth.
  static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
    return sign + (rest == 0 ? "\(whole)" : "\(whole).\(rest)")
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    // Two of them are not XML characters.
    case .unassigned: scalar.value & 0xFFFE == 0xFFFE
    default: false
    }
  }
}
