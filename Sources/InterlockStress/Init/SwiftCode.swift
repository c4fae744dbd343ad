/// The text of a Swift file without comments and without the contents of strings.
///
/// It is parsed only roughly: enough to find where declarations begin and end.
struct SwiftCode {
  private(set) var text: [Character] = []

  init(_ source: String) {
    let source = Array(source)
    var index = 0
    func has(_ word: String) -> Bool { source[index...].starts(with: word) }
    /// The index after a comment or string, from its beginning.
    func end(of begin: String, _ end: String, nests: Bool, escapes: Bool) -> Int {
      var depth = 1
      var at = index + begin.count
      while at < source.count, depth > 0 {
        let rest = source[at...]
        if escapes, source[at] == "\\" {
          at += 2
        } else if rest.starts(with: end) {
          depth -= 1
          at += end.count
        } else if nests, rest.starts(with: begin) {
          depth += 1
          at += begin.count
        } else {
          at += 1
        }
      }
      return min(at, source.count)
    }
    while index < source.count {
      if has("//") {
        while index < source.count, !source[index].isNewline { index += 1 }
      } else if has("/*") {
        index = end(of: "/*", "*/", nests: true, escapes: false)
        text.append(" ")
      } else if has("\"\"\"") || has("\"") || has("#\"") {
        let quote = has("\"\"\"") ? ("\"\"\"", "\"\"\"") : has("\"") ? ("\"", "\"") : ("#\"", "\"#")
        index = end(of: quote.0, quote.1, nests: false, escapes: quote.0 != "#\"")
        text += "\"\""
      } else {
        text.append(source[index])
        index += 1
      }
    }
  }

  /// The index after the bracket that matches the bracket at an index.
  static func end(of text: [Character], from index: Int) -> Int {
    var depth = 0
    for at in index..<text.count {
      if "({[".contains(text[at]) { depth += 1 }
      if ")}]".contains(text[at]) { depth -= 1 }
      if depth == 0 { return at + 1 }
    }
    return text.count
  }

  /// A declaration of a type or an extension at the top level.
  struct Declaration {
    /// `class`, `extension`, `protocol`, …
    var kind: Substring
    var name: Substring
    /// The attributes and modifiers.
    var modifiers: Substring
    /// The generic parameters, inherited types and conditions.
    var clauses: Substring
    /// The members, without their bodies.
    var members: String

    /// Parses the text before a body, starting at the end of the previous body.
    init?(_ header: String, members: () -> String) {
      let pattern =
        /((?:(?:@\w+(?:\([^)]*\))?|\w+)\s+)*)(class|struct|actor|enum|extension|protocol)\s+(\w+)/
      guard let match = header.matches(of: pattern).last else { return nil }
      (kind, name) = (match.2, match.3)
      // Keep attributes on lines of their own, but not another declaration before them.
      let lines = match.1.split(separator: "\n", omittingEmptySubsequences: false)
      let own = lines.lastIndex { !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("@") }
      modifiers = match.1[(own.map { lines[$0].startIndex } ?? match.1.startIndex)...]
      clauses = header[match.range.upperBound...]
      self.members = members()
    }
  }

  /// The declarations of a file, in order.
  var declarations: [Declaration] {
    var found: [Declaration] = []
    var from = 0
    var index = 0
    while index < text.count {
      guard text[index] == "{" else {
        index += 1
        continue
      }
      let end = Self.end(of: text, from: index)
      let body = text[(index + 1)..<max(index + 1, end - 1)]
      let declaration = Declaration(String(text[from..<index])) { Self.withoutBodies(Array(body)) }
      if let declaration { found.append(declaration) }
      (from, index) = (end, end)
    }
    return found
  }

  /// Replaces each body by `{}`, or by `{!}` for a property whose getter waits or throws. Each
  /// member begins a line.
  private static func withoutBodies(_ text: [Character]) -> String {
    var result = ""
    var index = 0
    while index < text.count {
      guard text[index] == "{" else {
        result.append(text[index] == ";" ? "\n" : text[index])
        index += 1
        continue
      }
      let end = end(of: text, from: index)
      let body = String(text[index..<end])
      result += body.contains(/\bget\s+(async|throws)\b/) ? "{!}\n" : "{}\n"
      index = end
    }
    // Remove code that is compiled conditionally.
    return result.replacing(/#if\b(?s:.*?)#endif/, with: "")
  }
}
