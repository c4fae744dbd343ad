/// Escapes text for XML and HTML, so that text from the code under test cannot become markup.
package enum XMLText {
  /// The text for an element or a quoted attribute.
  ///
  /// Control characters, and characters that change the writing direction, are spelled out: XML
  /// forbids the former, and the latter mislead a reader.
  package static func escaped(_ text: String) -> String {
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
        if scalar.value >= 0x7F || scalar.value < 0x20, isUnsafe(scalar) {
          result += "\\u{" + String(scalar.value, radix: 16) + "}"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }

  /// Lines for an element, each escaped.
  package static func escaped(lines: [String]) -> String {
    lines.map { escaped($0) }.joined(separator: "\n")
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    // U+FFFE and U+FFFF are not XML characters.
    case .unassigned: scalar.value & 0xFFFE == 0xFFFE
    default: false
    }
  }
}
