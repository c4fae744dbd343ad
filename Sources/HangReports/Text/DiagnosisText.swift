import Hangs

/// A diagnosis as lines for a terminal: the cause and the headline, then details and advice,
/// indented.
package struct DiagnosisText: Sendable {
  /// The lines, without line ends, and none longer than the width if there is one.
  package let lines: [String]

  /// Formats a diagnosis.
  ///
  /// - Parameters:
  ///   - diagnosis: The diagnosis, formatted. Its text is escaped again: it may come from another
  ///     process.
  ///   - width: The columns of the terminal, at least 20 of which are used; `nil` for lines of any
  ///     length.
  ///   - mostLines: How many lines are shown, at least 2; the last one counts the rest.
  package init(_ diagnosis: Explanation, width: Int?, mostLines: Int = 24) {
    var all = Self.wrapped(
      "deadlock (\(diagnosis.cause.rawValue)): \(diagnosis.headline)", indent: 0, width)
    for line in diagnosis.details + diagnosis.advice {
      all += Self.wrapped(line, indent: 2, width)
    }
    let most = max(2, mostLines)
    if all.count > most {
      let left = all.count - most + 1
      all.removeLast(left)
      all.append("  … and \(Counted.noun(left, "more line"))")
    }
    lines = all
  }

  /// A line broken at spaces, or within a word that is longer than a line; what follows is indented
  /// further.
  private static func wrapped(_ text: String, indent: Int, _ width: Int?) -> [String] {
    let space = String(repeating: " ", count: indent)
    let line = space + Printable.line(text)
    guard let width, line.count > max(20, width) else { return [line] }
    let most = max(20, width)
    var lines: [String] = []
    var rest = Substring(line)
    var start = indent
    while rest.count > most {
      let room = rest.prefix(most + 1)
      let words = room.dropFirst(start + 1)
      let end = words.lastIndex(of: " ") ?? rest.index(rest.startIndex, offsetBy: most)
      lines.append(String(rest[..<end]))
      start = indent + 4
      rest = String(repeating: " ", count: start) + rest[end...].drop { $0 == " " }
    }
    return lines + [String(rest)]
  }
}
