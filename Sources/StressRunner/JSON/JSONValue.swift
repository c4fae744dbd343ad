/// A JSON value and the line that it begins on.
///
/// The toolchain's parsers give no position for what is well formed but means nothing (a caller
/// count of -3), merge equal keys without a word, and lose the order of members, which here is part
/// of a workload. So scenarios are read, and reports written, through this small type.
package struct JSONValue: Sendable, Hashable {
  /// What the value is.
  package enum Content: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number, as it is spelled: nothing is rounded before somebody asks for a range.
    case number(String)
    /// Text, with escapes resolved.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members in the order of the file; no two have one key.
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

  /// What the value is.
  package var content: Content
  /// The line that the value begins on, from 1; 0 for a value that comes from no file.
  package var line: Int

  /// Places a value on a line.
  package init(_ content: Content, line: Int = 0) {
    self.content = content
    self.line = line
  }
}

extension JSONValue {
  /// What stands there, for a message: short, and safe to print on a terminal.
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

/// A text from outside, cut to 60 characters and without control characters: a file that is quoted
/// in a message must not move the cursor of whoever reads it.
package func printable(_ text: String) -> String {
  let start = text.unicodeScalars.prefix(60)
  return escaped(String(start)) + (start.endIndex < text.endIndex ? "…" : "")
}

/// A text from outside in one line that moves no cursor, however long: for paths, which tell
/// nothing when cut.
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
