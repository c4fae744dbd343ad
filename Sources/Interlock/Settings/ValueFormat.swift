/// The values of an option: how they are described, read and shown.
package struct ValueFormat<Value: Sendable>: Sendable {
  /// The placeholder for a value in help, such as `<n>`.
  package var placeholder: String
  /// A short description of the values: `1 to 255`, or `on, off`.
  package var summary: String
  /// True if the summary lists every value.
  package var isChoice = false
  /// A description of valid values: `a whole number from 1 to 255`.
  package var expected: String
  /// Reads a value; returns `nil` if the text is invalid.
  package var read: @Sendable (String) -> Value?
  /// Formats a value as a user writes it.
  package var text: @Sendable (Value) -> String = { "\($0)" }

  /// Describes values.
  package init(
    _ placeholder: String, summary: String = "", expected: String,
    read: @escaping @Sendable (String) -> Value?
  ) {
    self.placeholder = placeholder
    self.summary = summary
    self.expected = expected
    self.read = read
  }
}

extension ValueFormat where Value: FixedWidthInteger {
  /// A whole number within a range.
  package static func whole(_ range: ClosedRange<Value>) -> ValueFormat {
    let summary = "\(range.lowerBound) to \(range.upperBound)"
    return ValueFormat(
      "n", summary: summary,
      expected: "a whole number from \(summary)"
    ) { text in Value(text).flatMap { range.contains($0) ? $0 : nil } }
  }
}

extension ValueFormat where Value == Double {
  /// A number within a range.
  package static func number(
    _ what: String, _ range: ClosedRange<Double>, placeholder: String
  ) -> ValueFormat {
    let summary = "\(shortText(range.lowerBound)) to \(shortText(range.upperBound))"
    return ValueFormat(
      placeholder, summary: summary,
      expected: "\(what) from \(summary)"
    ) { text in Double(text).flatMap { range.contains($0) ? $0 : nil } }
  }

  /// A number of seconds within a range.
  package static func seconds(_ range: ClosedRange<Double>) -> ValueFormat {
    number("a number of seconds", range, placeholder: "seconds")
  }

  /// `5` for 5.0, `0.1` for 0.1.
  package static func shortText(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }
}

extension ValueFormat where Value: RawRepresentable<String>, Value: SendableMetatype {
  /// One of these values.
  package static func choice(_ values: [Value], placeholder: String) -> ValueFormat {
    let names = values.map(\.rawValue).joined(separator: ", ")
    var format = ValueFormat(
      placeholder, summary: names, expected: (values.count > 1 ? "one of " : "") + names
    ) { text in values.first { $0.rawValue == text } }
    format.isChoice = true
    format.text = { $0.rawValue }
    return format
  }
}

extension ValueFormat<Bool> {
  /// `on` or `off`.
  package static var onOrOff: ValueFormat {
    var format = ValueFormat("switch", summary: "on, off", expected: "on or off") {
      ["on": true, "off": false][$0]
    }
    format.isChoice = true
    format.text = { $0 ? "on" : "off" }
    return format
  }
}

extension ValueFormat<String> {
  /// Any text.
  package static func text(_ placeholder: String) -> ValueFormat {
    ValueFormat(placeholder, expected: "a text") { $0 }
  }

  /// A path.
  package static func path(_ placeholder: String) -> ValueFormat {
    ValueFormat(placeholder, expected: "a path") { $0.isEmpty ? nil : $0 }
  }

  /// The path of a file; not `-`, which means standard output elsewhere.
  package static var file: ValueFormat {
    ValueFormat("file", expected: "the path of a file") { ["", "-"].contains($0) ? nil : $0 }
  }

  /// A regular expression of Swift.
  package static var regularExpression: ValueFormat {
    ValueFormat("pattern", expected: "a regular expression") { text in
      text.isEmpty || (try? Regex(text)) == nil ? nil : text
    }
  }
}
