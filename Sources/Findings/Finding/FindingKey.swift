import Interlock

extension Finding {
  /// The identity of a finding across runs and machines: kind, resource and functions, without line
  /// numbers, addresses or seeds.
  package struct Key: Sendable, Hashable, Comparable {
    /// The identifier of the rule.
    package var rule: String
    /// The resource. Without a resource and functions, the trial.
    package var resource: String
    /// The functions of the participants, sorted and distinct.
    package var functions: [String]

    /// Describes a key.
    package init(rule: String, resource: String, functions: [String]) {
      self.rule = rule
      self.resource = cutText(resource, to: Self.longestName)
      self.functions = Set(functions.map { cutText($0, to: Self.longestName) }).sorted()
    }

    /// The most characters of a name that count: names from the code under test have any length.
    private static let longestName = 512

    package static func < (left: Key, right: Key) -> Bool {
      if left.rule != right.rule { return left.rule < right.rule }
      if left.resource != right.resource { return left.resource < right.resource }
      return left.functions.lexicographicallyPrecedes(right.functions)
    }

    /// The key as 16 hexadecimal digits, equal in every process.
    package var fingerprint: String { Self.fingerprint(of: [rule, resource] + functions) }

    /// A hash of texts (FNV-1a, 64 bits) as 16 hexadecimal digits, equal in every process.
    package static func fingerprint(of texts: [String]) -> String {
      var hash: UInt64 = 0xcbf2_9ce4_8422_2325
      func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      for text in texts {
        text.utf8.forEach(add)
        // Separate the texts by a byte that does not occur in UTF-8.
        add(0xFF)
      }
      let digits = String(hash, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
  }

  /// The identity of the finding.
  package var key: Key {
    let functions = sides.compactMap { side in
      side.place.function ?? side.stack.lazy.compactMap(\.function).first
    }
    let trial = origin.map { functions.isEmpty ? "\($0.group)/\($0.name)" : $0.name }
    return Key(rule: rule.id, resource: resource ?? trial ?? "", functions: functions)
  }
}
