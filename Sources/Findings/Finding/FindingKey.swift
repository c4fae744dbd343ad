import Interlock

extension Finding {
  /// What identifies a finding from run to run and from machine to machine: kind, resource and
  /// functions, and no line number, address or seed.
  package struct Key: Sendable, Hashable, Comparable {
    /// The identifier of the rule.
    package var rule: String
    /// The resource; if there is neither a resource nor a function, the trial.
    package var resource: String
    /// The functions of the participants, sorted, each once.
    package var functions: [String]

    /// Describes a key.
    package init(rule: String, resource: String, functions: [String]) {
      self.rule = rule
      self.resource = cutText(resource, to: Self.longestName)
      self.functions = Set(functions.map { cutText($0, to: Self.longestName) }).sorted()
    }

    /// The most characters of a name that count: a name from the code under test has any length.
    private static let longestName = 512

    package static func < (left: Key, right: Key) -> Bool {
      if left.rule != right.rule { return left.rule < right.rule }
      if left.resource != right.resource { return left.resource < right.resource }
      return left.functions.lexicographicallyPrecedes(right.functions)
    }

    /// The key as 16 hexadecimal digits, the same in every process.
    package var fingerprint: String { Self.fingerprint(of: [rule, resource] + functions) }

    /// Texts as 16 hexadecimal digits (FNV-1a, 64 bits), the same in every process.
    package static func fingerprint(of texts: [String]) -> String {
      var hash: UInt64 = 0xcbf2_9ce4_8422_2325
      func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      for text in texts {
        text.utf8.forEach(add)
        // Not a byte of UTF-8: it separates the parts.
        add(0xFF)
      }
      let digits = String(hash, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
  }

  /// What identifies the finding.
  package var key: Key {
    let functions = sides.compactMap { side in
      side.place.function ?? side.stack.lazy.compactMap(\.function).first
    }
    let trial = origin.map { functions.isEmpty ? "\($0.group)/\($0.name)" : $0.name }
    return Key(rule: rule.id, resource: resource ?? trial ?? "", functions: functions)
  }
}
