import Interlock

/// Old findings, which a run shows but does not fail for: the content of a baseline.
package struct KnownFindings: Sendable, Hashable {
  /// A known finding.
  package struct Entry: Sendable, Hashable {
    /// The identity of the finding.
    package var key: Finding.Key
    /// The reason for accepting the finding for now.
    package var reason: String
    /// The last day of acceptance, such as `2026-12-31`, in UTC; `nil` for no end.
    package var until: String?
    /// The trials that showed the finding, such as `run reads mutex`, sorted; empty if unknown.
    package var trials: [String]
    /// The line in the file, from 1; 0 if the entry is not from a file.
    package var line = 0

    /// Describes a known finding.
    package init(
      key: Finding.Key, reason: String, until: String? = nil, trials: [String] = []
    ) {
      self.key = key
      self.reason = reason
      self.until = until
      self.trials = trials
    }
  }

  /// A pattern of known findings; `*` matches any characters.
  package struct Suppression: Sendable, Hashable {
    /// The kind.
    package var kind: String
    /// The resource.
    package var resource: String
    /// A function of the finding; `*` also matches a finding without functions.
    package var function: String
    /// The file of a place: its path, or the end of it; `*` also matches a finding without files.
    package var file = "*"
    /// The type that a function belongs to; `*` also matches a finding without types.
    package var type = "*"
    /// The reason for accepting these findings for now.
    package var reason: String
    /// The last day of acceptance; `nil` for no end.
    package var until: String?
    /// The line in the file, from 1.
    package var line = 0

    /// True if the pattern matches the finding. File, type and function may match different sides.
    package func matches(_ finding: Finding) -> Bool {
      let key = finding.key
      return wildcard(kind, matches: key.rule) && wildcard(resource, matches: key.resource)
        && (function == "*" || key.functions.contains { wildcard(function, matches: $0) })
        && (file == "*" || finding.files.contains { Self.matches(file, file: $0) })
        && (type == "*"
          || key.functions.flatMap(typeNames).contains { wildcard(type, matches: $0) })
    }

    private static func matches(_ pattern: String, file: String) -> Bool {
      wildcard(pattern, matches: file) || wildcard("*/" + pattern, matches: file)
    }
  }

  /// The known findings, with distinct keys.
  package var entries: [Entry] = []
  /// The patterns.
  package var suppressions: [Suppression] = []

  /// Creates a list without known findings.
  package init() {}

  /// Why a finding is known on a day; `nil` if it is new, or its acceptance has expired.
  package func reason(for finding: Finding, on day: String) -> String? {
    let key = finding.key
    func isValid(_ until: String?) -> Bool { until.map { day <= $0 } ?? true }
    if let entry = entries.first(where: { $0.key == key }), isValid(entry.until) {
      return entry.reason
    }
    return suppressions.first { isValid($0.until) && $0.matches(finding) }?.reason
  }

  /// The entries and patterns that have expired, one line each.
  package func expired(on day: String) -> [String] {
    let old = entries.compactMap { entry in
      entry.until.flatMap { $0 < day ? "\(entry.key.text), known until \($0)" : nil }
    }
    return old
      + suppressions.compactMap { pattern in
        pattern.until.flatMap { $0 < day ? "\(pattern.text), known until \($0)" : nil }
      }
  }
}

extension KnownFindings {
  /// The data of a run that decides which entries are stale.
  package struct Run: Sendable {
    /// The keys of all findings.
    package var found: Set<Finding.Key> = []
    /// The patterns that match a finding of the run.
    package var matched: Set<Suppression> = []
    /// The trials that were judged, such as `run reads mutex`.
    package var judged: Set<String> = []
    /// True if every scenario was tried on every subject.
    package var isWhole = false

    /// Creates an empty run.
    package init() {}
  }

  /// The entries that the run could have shown again and did not.
  package func staleEntries(_ run: Run) -> [Entry] {
    entries.filter { entry in
      guard !run.found.contains(entry.key) else { return false }
      return entry.trials.isEmpty ? run.isWhole : entry.trials.allSatisfy(run.judged.contains)
    }
  }

  /// The patterns that match nothing in a complete run.
  package func staleSuppressions(_ run: Run) -> [Suppression] {
    guard run.isWhole else { return [] }
    return suppressions.filter { !run.matched.contains($0) }
  }

  /// The known findings after a run: stale ones are removed, and all findings of the run are added.
  /// Reasons and expiry dates stay, including past ones.
  ///
  /// - Parameters:
  ///   - findings: The findings of the run.
  ///   - trials: The trials that showed each finding.
  ///   - run: The coverage of the run.
  ///   - reason: The reason for new findings.
  /// - Returns: The new state, sorted.
  package func updated(
    by findings: [Finding], trials: (Finding) -> [String], _ run: Run, reason: String
  ) -> KnownFindings {
    var result = self
    let stale = Set(staleEntries(run).map(\.key))
    result.entries.removeAll { stale.contains($0.key) }
    var positions = Dictionary(
      uniqueKeysWithValues: result.entries.enumerated().map { ($0.element.key, $0.offset) })
    for finding in findings {
      let key = finding.key
      if let position = positions[key] {
        let all = Set(result.entries[position].trials).union(trials(finding))
        result.entries[position].trials = all.sorted()
      } else if !suppressions.contains(where: { $0.matches(finding) }) {
        positions[key] = result.entries.count
        result.entries.append(Entry(key: key, reason: reason, trials: trials(finding).sorted()))
      }
    }
    result.entries.sort { $0.key < $1.key }
    return result
  }
}

extension Finding.Key {
  /// `race on 'users' in a(), b()`
  package var text: String {
    "\(rule) on '\(resource)'"
      + (functions.isEmpty ? "" : " in " + functions.joined(separator: ", "))
  }
}

extension KnownFindings.Suppression {
  /// `pattern race on 'users*' in *`
  package var text: String {
    let more = [("file", file), ("type", type)].filter { $0.1 != "*" }
    return "pattern \(kind) on '\(resource)' in \(function)"
      + more.map { ", \($0.0) \($0.1)" }.joined()
  }
}

extension Finding {
  /// The files of the participants' places.
  fileprivate var files: [String] { sides.compactMap(\.place.file) }
}

/// The types that a demangled function names: `Users` for `closure #1 in Users.rename(_:to:)`. For
/// a nested type, also its parts: `Users.Table`, `Users`, `Table`.
package func typeNames(of function: String) -> [String] {
  let name = function.split(separator: " in ").last.map(String.init) ?? function
  // Leave out arguments, and generic arguments.
  var depth = 0
  let plain = name.prefix { $0 != "(" }.filter { character in
    if character == "<" { depth += 1 }
    defer { if character == ">" { depth -= 1 } }
    return depth == 0
  }
  let path = plain.split(separator: " ").last ?? ""
  let parts = path.split(separator: ".").map(String.init).dropLast()
  let types = parts.filter { $0.first?.isUppercase == true }
  return types.isEmpty ? [] : types + [types.joined(separator: ".")]
}

/// True if a text matches a pattern in which `*` matches any characters.
func wildcard(_ pattern: String, matches text: String) -> Bool {
  let (pattern, text) = (Array(pattern.unicodeScalars), Array(text.unicodeScalars))
  var (place, position) = (0, 0)
  // The position at which to retry if the text after the last star does not fit: one character
  // later.
  var retry: (place: Int, position: Int)?
  while position < text.count {
    if place < pattern.count, pattern[place] == "*" {
      retry = (place + 1, position)
      place += 1
    } else if place < pattern.count, pattern[place] == text[position] {
      place += 1
      position += 1
    } else if let again = retry {
      retry?.position += 1
      (place, position) = (again.place, again.position + 1)
    } else {
      return false
    }
  }
  return pattern[place...].allSatisfy { $0 == "*" }
}
