import Hangs

/// A diagnosis as lines for a terminal: the cause and the headline, then details and advice,
/// indented.
package struct DiagnosisText: Sendable {
  /// The lines, without line ends. No line is longer than the width, if one is set.
  package let lines: [String]

  /// Formats a diagnosis.
  ///
  /// - Parameters:
  ///   - diagnosis: The formatted diagnosis. Its text is escaped again, as it may come from
  ///     another process.
  ///   - width: The columns of the terminal, at least 20; `nil` for lines of any length.
  ///   - mostLines: The maximum number of lines, at least 2. The last line counts the rest.
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

  /// Breaks a line at spaces, or inside a word longer than a line. Continuation lines are indented
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
