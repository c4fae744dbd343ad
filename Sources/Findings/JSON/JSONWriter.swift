/// Writes JSON. Members keep their order, numbers are formatted the same on every machine, and each
/// level is indented by two spaces.
package enum JSONWriter {
  /// Returns the text of a value, without a line break at its end.
  ///
  /// - Parameters:
  ///   - value: The value to write.
  ///   - level: The nesting depth of the value: continuation lines are indented by that many
  ///     levels.
  /// - Returns: The text; the first line is not indented.
  package static func text(_ value: JSONValue, level: Int = 0) -> String {
    var text = ""
    write(value, level: level, to: &text)
    return text
  }

  /// Returns the text of a value on one line, without a line break at its end.
  package static func line(_ value: JSONValue) -> String {
    var text = ""
    write(value, level: nil, to: &text)
    return text
  }

  /// Writes a value, on one line if `level` is `nil`.
  private static func write(_ value: JSONValue, level: Int?, to text: inout String) {
    switch value.content {
    case .null: text += "null"
    case .bool(let bool): text += bool ? "true" : "false"
    case .number(let spelling): text += spelling
    case .string(let string): write(string, to: &text)
    case .array(let values):
      writeList(values, "[", "]", level: level, to: &text) {
        write($0, level: level.map { $0 + 1 }, to: &$1)
      }
    case .object(let members):
      writeList(members, "{", "}", level: level, to: &text) { member, text in
        write(member.key, to: &text)
        text += ": "
        write(member.value, level: level.map { $0 + 1 }, to: &text)
      }
    }
  }

  private static func writeList<Element>(
    _ elements: [Element], _ open: String, _ close: String, level: Int?, to text: inout String,
    writeElement: (Element, inout String) -> Void
  ) {
    text += open
    for (index, element) in elements.enumerated() {
      if let level {
        text += index == 0 ? "\n" : ",\n"
        text += String(repeating: "  ", count: level + 1)
      } else if index > 0 {
        text += ", "
      }
      writeElement(element, &text)
    }
    if let level, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: level) }
    text += close
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      // Escape the delete character and the C1 controls too: a terminal may show the report.
      case "\u{00}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

extension JSONValue {
  /// A whole number.
  package static func number(_ value: some BinaryInteger) -> JSONValue {
    JSONValue(.number(String(value)))
  }

  /// A number rounded to a thousandth; `null` if it is infinite or not a number.
  package static func number(_ value: Double) -> JSONValue {
    guard value.isFinite else { return .null }
    let rounded = (value * 1000).rounded() / 1000
    if let whole = Int(exactly: rounded) { return .number(whole) }
    return JSONValue(.number("\(rounded)"))
  }

  /// Text.
  package static func string(_ text: String) -> JSONValue { JSONValue(.string(text)) }

  /// `true` or `false`.
  package static func bool(_ value: Bool) -> JSONValue { JSONValue(.bool(value)) }

  /// Values in order.
  package static func array(_ values: [JSONValue]) -> JSONValue { JSONValue(.array(values)) }

  /// Members in this order.
  package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    JSONValue(.object(members.map { Member(key: $0.key, value: $0.value) }))
  }

  /// `null`
  package static var null: JSONValue { JSONValue(.null) }

  /// The value, or `null` for `nil`.
  package static func optional(_ value: JSONValue?) -> JSONValue { value ?? .null }
}
