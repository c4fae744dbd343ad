import Findings

/// A value in a scenario file, and its name in messages.
///
/// Each `as…` function returns the requested type, or throws the error to show.
struct ScenarioValue {
  /// The JSON value.
  var json: JSONValue
  /// The key, or a description, for messages.
  var name: String
  /// The file, for messages.
  var path: String
  /// True if the name is a key, which messages put in quotation marks.
  var isKey = true

  /// `'callers'`, or `a phase`.
  var label: String { isKey ? "'\(name)'" : name }

  func error(_ message: String) -> ScenarioError {
    ScenarioError(path: path, line: json.line, message: message)
  }

  private func mismatch(_ expected: String) -> ScenarioError {
    error("\(label) must be \(expected), found \(json.found)")
  }

  func asWhole(_ range: ClosedRange<Int>) throws(ScenarioError) -> Int {
    guard case .number(let text) = json.content, let value = Int(text), range.contains(value) else {
      throw mismatch("a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  func asSeed() throws(ScenarioError) -> UInt64 {
    guard case .number(let text) = json.content, let value = UInt64(text) else {
      throw mismatch("a whole number from 0 to \(UInt64.max)")
    }
    return value
  }

  func asSeconds(_ range: ClosedRange<Double>) throws(ScenarioError) -> Double {
    guard case .number(let text) = json.content, let value = Double(text), range.contains(value)
    else {
      throw mismatch(
        "a number of seconds from \(short(range.lowerBound)) to \(short(range.upperBound))")
    }
    return value
  }

  func asBool() throws(ScenarioError) -> Bool {
    guard case .bool(let value) = json.content else { throw mismatch("true or false") }
    return value
  }

  private func short(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }

  /// A text that fits on one line.
  func asLine(limit: Int) throws(ScenarioError) -> String {
    guard case .string(let text) = json.content, !text.isEmpty, text.count <= limit,
      text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else {
      throw mismatch("a text of one line and at most \(limit) characters")
    }
    return text
  }

  /// Words in lower case, joined by hyphens.
  func asName() throws(ScenarioError) -> String {
    guard case .string(let text) = json.content, text.count <= 60, isName(text) else {
      throw mismatch("lower-case words joined by hyphens, at most 60 characters")
    }
    return text
  }

  /// One of the raw values of an enumeration.
  func asCase<Value: RawRepresentable & CaseIterable>(
    of type: Value.Type, except excluded: [Value] = []
  ) throws(ScenarioError) -> Value where Value.RawValue == String, Value: Equatable {
    let cases = Value.allCases.filter { !excluded.contains($0) }
    guard case .string(let text) = json.content else {
      throw mismatch("one of: " + cases.map(\.rawValue).joined(separator: ", "))
    }
    guard let value = cases.first(where: { $0.rawValue == text }) else {
      throw error(
        "'\(name)' cannot be '\(printable(text))': "
          + suggestion(for: text, among: cases.map(\.rawValue)))
    }
    return value
  }

  func asList(count: ClosedRange<Int>, of what: String) throws(ScenarioError) -> [ScenarioValue] {
    guard case .array(let values) = json.content else { throw mismatch("a list of \(what)") }
    guard count.contains(values.count) else {
      throw error(
        "'\(name)' must hold \(count.lowerBound) to \(count.upperBound) \(what),"
          + " found \(values.count)"
      )
    }
    return values.map { ScenarioValue(json: $0, name: name, path: path) }
  }

  /// The members of an object whose keys are data.
  func asMembers() throws(ScenarioError) -> [JSONValue.Member] {
    guard case .object(let members) = json.content else { throw mismatch("an object") }
    return members
  }

  /// An object with known keys only.
  func asObject(keys: [String]) throws(ScenarioError) -> ScenarioObject {
    let members = try asMembers()
    for member in members where !keys.contains(member.key) {
      throw ScenarioError(
        path: path, line: member.line,
        message: "unknown key '\(printable(member.key))': "
          + suggestion(for: member.key, among: keys))
    }
    return ScenarioObject(owner: self, members: members)
  }
}

/// An object in a scenario file.
struct ScenarioObject {
  /// The object as a value.
  var owner: ScenarioValue
  fileprivate var members: [JSONValue.Member]

  /// The value of a key, if present.
  subscript(key: String) -> ScenarioValue? {
    members.first { $0.key == key }
      .map { ScenarioValue(json: $0.value, name: key, path: owner.path) }
  }

  /// The value of a key; throws if the key is missing.
  func required(_ key: String) throws(ScenarioError) -> ScenarioValue {
    guard let value = self[key] else { throw owner.error("\(owner.label) needs the key '\(key)'") }
    return value
  }
}

/// Whether a text consists of lower-case words joined by hyphens: safe in a path, a shell and a
/// table.
func isName(_ text: String) -> Bool {
  text.split(separator: "-", omittingEmptySubsequences: false).allSatisfy { word in
    !word.isEmpty
      && word.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
  }
}
