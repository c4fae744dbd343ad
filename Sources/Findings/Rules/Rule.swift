/// A kind of finding: a stable identifier, its meaning, and how to fix it.
///
/// Reports, baselines and `interlock explain` share this table.
package struct Rule: Sendable, Hashable {
  /// The stable identifier, in lower case with hyphens.
  package var id: String
  /// The severity for a gate, unless an option changes it.
  package var level: Finding.Level
  /// A description in one sentence.
  package var summary: String
  /// The meaning for the code, and how the finding is detected.
  package var meaning: String
  /// An example: a few lines of code, or of events.
  package var example: String
  /// How to fix it.
  package var remedy: String

  /// Describes a kind of finding.
  package init(
    _ id: String, level: Finding.Level = .error, _ summary: String, meaning: String,
    example: String, remedy: String
  ) {
    self.id = id
    self.level = level
    self.summary = summary
    self.meaning = meaning
    self.example = example
    self.remedy = remedy
  }

  package static func == (left: Rule, right: Rule) -> Bool { left.id == right.id }
  package func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// All kinds of findings, in the order of the documentation.
  package static let all: [Rule] = races + hangs + ends + oracles + trials + potentials

  /// The kind with this identifier; `nil` for none.
  package static func named(_ id: String) -> Rule? { byID[id] }

  private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
}

/// Coded as the identifier: two processes of one executable have the same table.
extension Rule: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let id = try container.decode(String.self)
    guard let rule = Self.named(id) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "'\(id)' is no kind of finding")
    }
    self = rule
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(id)
  }
}
