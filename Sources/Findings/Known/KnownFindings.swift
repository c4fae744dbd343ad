import Interlock

/// Old findings, which a run shows and does not fail for: the content of a baseline.
package struct KnownFindings: Sendable, Hashable {
  /// A finding that is known.
  package struct Entry: Sendable, Hashable {
    /// What identifies it.
    package var key: Finding.Key
    /// Why it is accepted for now.
    package var reason: String
    /// The last day on which it is, as in `2026-12-31`, in UTC; `nil` for no end.
    package var until: String?
    /// The trials that showed it, as in `run reads mutex`, sorted; empty if that is not known.
    package var trials: [String]
    /// The line of the file, from 1; 0 if it is not from a file.
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

  /// A pattern of findings that are known; `*` stands for any characters.
  package struct Suppression: Sendable, Hashable {
    /// The kind.
    package var kind: String
    /// The resource.
    package var resource: String
    /// One of the functions; `*` also if there is none.
    package var function: String
    /// The file of one of the places: its path, or the end of it; `*` also if there is none.
    package var file = "*"
    /// The type that one of the functions belongs to; `*` also if there is none.
    package var type = "*"
    /// Why they are accepted for now.
    package var reason: String
    /// The last day on which they are; `nil` for no end.
    package var until: String?
    /// The line of the file, from 1.
    package var line = 0

    /// Whether the pattern matches the finding. The file and the type may be those of one side, and
    /// the function that of another.
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

  /// The known findings, each key once.
  package var entries: [Entry] = []
  /// The patterns.
  package var suppressions: [Suppression] = []

  /// Nothing is known.
  package init() {}

  /// Why a finding is known on a day; `nil` if it is new, or was known until an earlier day.
  package func reason(for finding: Finding, on day: String) -> String? {
    let key = finding.key
    func isValid(_ until: String?) -> Bool { until.map { day <= $0 } ?? true }
    if let entry = entries.first(where: { $0.key == key }), isValid(entry.until) {
      return entry.reason
    }
    return suppressions.first { isValid($0.until) && $0.matches(finding) }?.reason
  }

  /// The days on which findings stopped being known, in a line each.
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
  /// What a run has shown, as far as staleness needs it.
  package struct Run: Sendable {
    /// The keys of all findings.
    package var found: Set<Finding.Key> = []
    /// The patterns that match one of the findings.
    package var matched: Set<Suppression> = []
    /// The trials that were judged, as in `run reads mutex`.
    package var judged: Set<String> = []
    /// Whether every scenario was tried on every subject.
    package var isWhole = false

    /// Nothing was run.
    package init() {}
  }

  /// The entries that the run could have shown again and did not.
  package func staleEntries(_ run: Run) -> [Entry] {
    entries.filter { entry in
      guard !run.found.contains(entry.key) else { return false }
      return entry.trials.isEmpty ? run.isWhole : entry.trials.allSatisfy(run.judged.contains)
    }
  }

  /// The patterns that match nothing in a whole run.
  package func staleSuppressions(_ run: Run) -> [Suppression] {
    guard run.isWhole else { return [] }
    return suppressions.filter { !run.matched.contains($0) }
  }

  /// The known findings after a run: without the stale ones, with all that it found. Reasons and
  /// expiries stay, also those that have passed.
  ///
  /// - Parameters:
  ///   - findings: What the run found.
  ///   - trials: The trials that showed each finding.
  ///   - run: What the run covered.
  ///   - reason: The reason for what is new.
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

/// The types that a demangled function names, as in `closure #1 in Users.rename(_:to:)`: `Users`,
/// and of a nested type also the outer one and both: `Users.Table`, `Users`, `Table`.
package func typeNames(of function: String) -> [String] {
  let name = function.split(separator: " in ").last.map(String.init) ?? function
  // Without the arguments of the call and of generic types.
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

/// Whether a text matches a pattern in which `*` stands for any characters.
func wildcard(_ pattern: String, matches text: String) -> Bool {
  let (pattern, text) = (Array(pattern.unicodeScalars), Array(text.unicodeScalars))
  var (place, position) = (0, 0)
  // Where to continue if what follows the last star does not fit: one character later.
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
