/// An error in a baseline, worded to follow `file:line: `.
package struct KnownFindingsError: Error, Hashable {
  /// The line, from 1.
  package var line: Int
  /// The text found and the text expected.
  package var message: String
}

extension KnownFindings {
  /// The name of the format, which no other file of this package uses.
  package static let schema = "interlock-known-findings"
  /// The version of the format.
  package static let version = 1
  /// The largest file that is read, in bytes.
  package static let mostBytes = 16 << 20

  /// Parses a file.
  ///
  /// - Throws: The first error, with its line.
  package init(_ bytes: [UInt8]) throws(KnownFindingsError) {
    let document: JSONValue
    do throws(JSONError) {
      document = try JSONReader.read(bytes)
    } catch {
      throw KnownFindingsError(line: error.line, message: error.message)
    }
    let file = try Members(document, "a baseline")
    let schema = try file.text("schema")
    guard schema == Self.schema else {
      throw file.wrong("schema", "\"\(Self.schema)\"")
    }
    // Check the version before other keys: a newer version may have more keys.
    guard let version = file["schemaVersion"], version.content == .number("\(Self.version)") else {
      throw file.wrong("schemaVersion", "\(Self.version), which this version reads")
    }
    try file.check(["schema", "schemaVersion", "known", "suppress"])
    self.init()
    var lines: [Finding.Key: Int] = [:]
    for value in try file.list("known") {
      let entry = try Entry(value)
      if let first = lines.updateValue(entry.line, forKey: entry.key) {
        throw KnownFindingsError(
          line: entry.line, message: "the same finding is already in line \(first)")
      }
      entries.append(entry)
    }
    for value in try file.list("suppress") { suppressions.append(try Suppression(value)) }
  }

  /// The file's content, sorted, one line for each entry.
  package var text: String {
    func lines(_ values: [JSONValue]) -> String {
      values.isEmpty
        ? "[]"
        : "[\n" + values.map { "    " + JSONWriter.line($0) }.joined(separator: ",\n") + "\n  ]"
    }
    return """
      {
        "schema": "\(Self.schema)",
        "schemaVersion": \(Self.version),
        "known": \(lines(entries.sorted { $0.key < $1.key }.map(\.value))),
        "suppress": \(lines(suppressions.map(\.value)))
      }

      """
  }
}

extension KnownFindings.Entry {
  fileprivate init(_ value: JSONValue) throws(KnownFindingsError) {
    let entry = try Members(value, "a known finding")
    try entry.check(["kind", "resource", "functions", "reason", "until", "trials"])
    self.init(
      key: Finding.Key(
        rule: try entry.kind(), resource: try entry.text("resource"),
        functions: try entry.texts("functions")),
      reason: try entry.reason(), until: try entry.day(),
      trials: entry["trials"] == nil ? [] : try entry.texts("trials"))
    line = value.line
  }

  fileprivate var value: JSONValue {
    var members: [JSONValue.Member] = [
      .init(key: "kind", value: .string(key.rule)),
      .init(key: "resource", value: .string(key.resource)),
      .init(key: "functions", value: .array(key.functions.map { .string($0) })),
      .init(key: "reason", value: .string(reason)),
    ]
    if let until { members.append(.init(key: "until", value: .string(until))) }
    if !trials.isEmpty {
      members.append(.init(key: "trials", value: .array(trials.map { .string($0) })))
    }
    return JSONValue(.object(members))
  }
}

extension KnownFindings.Suppression {
  fileprivate init(_ value: JSONValue) throws(KnownFindingsError) {
    let pattern = try Members(value, "a suppression")
    try pattern.check(["kind", "resource", "function", "file", "type", "reason", "until"])
    func text(_ key: String) throws(KnownFindingsError) -> String {
      pattern[key] == nil ? "*" : try pattern.text(key)
    }
    self.init(
      kind: try text("kind"), resource: try text("resource"), function: try text("function"),
      file: try text("file"), type: try text("type"), reason: try pattern.reason(),
      until: try pattern.day(), line: value.line)
    if [kind, resource, function, file, type].allSatisfy({ $0 == "*" }) {
      throw KnownFindingsError(
        line: value.line,
        message: "a suppression must not match every finding: name a 'kind', a"
          + " 'resource', a 'function', a 'file' or a 'type'")
    }
    if !Rule.all.contains(where: { wildcard(kind, matches: $0.id) }) {
      throw pattern.wrong("kind", "a pattern of kinds that exist")
    }
  }

  fileprivate var value: JSONValue {
    var members: [JSONValue.Member] = []
    for (key, text) in [
      ("kind", kind), ("resource", resource), ("function", function), ("file", file),
      ("type", type),
    ]
    where text != "*" {
      members.append(.init(key: key, value: .string(text)))
    }
    members.append(.init(key: "reason", value: .string(reason)))
    if let until { members.append(.init(key: "until", value: .string(until))) }
    return JSONValue(.object(members))
  }
}

/// The members of an object, with messages for missing and invalid ones.
private struct Members {
  private let members: [JSONValue.Member]
  private let line: Int

  init(_ value: JSONValue, _ what: String) throws(KnownFindingsError) {
    guard case .object(let members) = value.content else {
      throw KnownFindingsError(
        line: value.line, message: "\(what) must be an object, found \(value.found)")
    }
    self.members = members
    line = value.line
  }

  subscript(_ key: String) -> JSONValue? { members.first { $0.key == key }?.value }

  func wrong(_ key: String, _ expected: String) -> KnownFindingsError {
    guard let found = self[key] else {
      return KnownFindingsError(line: line, message: "'\(key)' is missing")
    }
    return KnownFindingsError(
      line: found.line, message: "'\(key)' must be \(expected), found \(found.found)")
  }

  /// Refuses any key other than these.
  func check(_ keys: [String]) throws(KnownFindingsError) {
    guard let other = members.first(where: { !keys.contains($0.key) }) else { return }
    throw KnownFindingsError(
      line: other.line,
      message: "expected one of \(keys.joined(separator: ", ")), found '\(printable(other.key))'")
  }

  func text(_ key: String) throws(KnownFindingsError) -> String {
    guard case .string(let text)? = self[key]?.content else { throw wrong(key, "a text") }
    return text
  }

  func list(_ key: String) throws(KnownFindingsError) -> [JSONValue] {
    guard case .array(let values)? = self[key]?.content else { throw wrong(key, "a list") }
    return values
  }

  func texts(_ key: String) throws(KnownFindingsError) -> [String] {
    var texts: [String] = []
    for value in try list(key) {
      guard case .string(let text) = value.content else { throw wrong(key, "a list of texts") }
      texts.append(text)
    }
    return texts
  }

  func kind() throws(KnownFindingsError) -> String {
    let id = try text("kind")
    guard Rule.named(id) != nil else { throw wrong("kind", "a kind of finding") }
    return id
  }

  func reason() throws(KnownFindingsError) -> String {
    let text = try text("reason")
    guard text.contains(where: { !$0.isWhitespace }) else { throw wrong("reason", "a reason") }
    return text
  }

  /// The expiry date; `nil` if there is none.
  func day() throws(KnownFindingsError) -> String? {
    guard self["until"] != nil else { return nil }
    let text = try text("until")
    let days = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil,
      let month = Int(text.dropFirst(5).prefix(2)), (1...12).contains(month),
      let day = Int(text.suffix(2)), (1...days[month - 1]).contains(day)
    else { throw wrong("until", "a day as in 2026-12-31") }
    return text
  }
}
