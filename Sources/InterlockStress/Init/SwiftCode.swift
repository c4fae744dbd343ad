/// The text of a Swift file without its comments, and without what its strings have in them.
///
/// A sketch of the language: enough to find where declarations begin and end.
struct SwiftCode {
  private(set) var text: [Character] = []

  init(_ source: String) {
    let source = Array(source)
    var index = 0
    func has(_ word: String) -> Bool { source[index...].starts(with: word) }
    /// The end of a comment or of a string, from its beginning on.
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

  /// The first index past what the bracket at an index encloses.
  static func end(of text: [Character], from index: Int) -> Int {
    var depth = 0
    for at in index..<text.count {
      if "({[".contains(text[at]) { depth += 1 }
      if ")}]".contains(text[at]) { depth -= 1 }
      if depth == 0 { return at + 1 }
    }
    return text.count
  }

  /// A declaration of a type, or of its extension, that is not within another one.
  struct Declaration {
    /// `class`, `extension`, `protocol`, …
    var kind: Substring
    var name: Substring
    /// Attributes and modifiers.
    var modifiers: Substring
    /// Generic parameters, what it inherits, and conditions.
    var clauses: Substring
    /// The members without their bodies.
    var members: String

    /// Reads what is in front of a body, from the end of the previous one on.
    init?(_ header: String, members: () -> String) {
      let pattern =
        /((?:(?:@\w+(?:\([^)]*\))?|\w+)\s+)*)(class|struct|actor|enum|extension|protocol)\s+(\w+)/
      guard let match = header.matches(of: pattern).last else { return nil }
      (kind, name) = (match.2, match.3)
      // An attribute may have a line of its own; another declaration before has, too.
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

  /// A body becomes `{}`, and one of a property whose getter waits or throws `{!}`. Each member
  /// begins a line.
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
    // What is compiled on some systems only.
    return result.replacing(/#if\b(?s:.*?)#endif/, with: "")
  }
}
