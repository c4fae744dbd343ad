/// A JSON value, with the line on which it begins.
///
/// The toolchain's parsers give no position for a value that is well-formed but invalid (a caller
/// count of -3), silently merge equal keys, and lose the order of members, which is part of a
/// workload here. This type keeps all three.
package struct JSONValue: Sendable, Hashable {
  /// The kinds of JSON value.
  package enum Content: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number as spelled in the file: it is not rounded until a caller requests a range.
    case number(String)
    /// Text, with escapes resolved.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members in the order of the file, with unique keys.
    case object([Member])
  }

  /// A key and its value.
  package struct Member: Sendable, Hashable {
    /// The key, with escapes resolved.
    package var key: String
    /// The line that the key begins on, from 1.
    package var line: Int
    /// The value.
    package var value: JSONValue

    /// Pairs a key with a value.
    package init(key: String, line: Int = 0, value: JSONValue) {
      self.key = key
      self.line = line
      self.value = value
    }
  }

  /// The value's content.
  package var content: Content
  /// The line that the value begins on, from 1; 0 for a value that is not from a file.
  package var line: Int

  /// Creates a value on a line.
  package init(_ content: Content, line: Int = 0) {
    self.content = content
    self.line = line
  }
}

extension JSONValue {
  /// The value, quoted for an error message: short, and safe to print on a terminal.
  package var found: String {
    switch content {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .number(let text): text.count > 40 ? "\(text.prefix(40))…" : text
    case .string(let text): "\"\(printable(text))\""
    case .array: "a list"
    case .object: "an object"
    }
  }
}

/// An untrusted text, cut to 60 characters and without control characters, so that quoting a file
/// cannot move a terminal's cursor.
package func printable(_ text: String) -> String {
  let start = text.unicodeScalars.prefix(60)
  return escaped(String(start)) + (start.endIndex < text.endIndex ? "…" : "")
}

/// An untrusted text in one line without control characters, not cut. For paths, which are useless
/// when cut.
package func escaped(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
      result += "\\u{" + String(scalar.value, radix: 16) + "}"
    default:
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}
