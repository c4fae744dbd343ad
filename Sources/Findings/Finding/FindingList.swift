import Interlock

/// Findings in the order in which they were first found, each once.
package struct FindingList: Sendable {
  /// What makes two findings one.
  private struct Identity: Hashable {
    var key: Finding.Key
    var origin: String?
  }

  private var findings: [Finding] = []
  private var positions: [Identity: Int] = [:]

  /// No findings.
  package init() {}

  /// Adds a finding; if the same trial has shown it before, it is only counted.
  package mutating func add(_ finding: Finding) {
    let origin = finding.origin.map { "\($0.group)\u{0}\($0.name)" }
    let identity = Identity(key: finding.key, origin: origin)
    guard let position = positions[identity] else {
      positions[identity] = findings.count
      findings.append(finding.cut)
      return
    }
    findings[position].count += finding.count
    findings[position].level = max(findings[position].level, finding.level)
  }

  /// The findings; those of a trial say how often it was tried: `attempts` returns that for an
  /// origin, or `nil` if it is unknown.
  package func all(attempts: (Finding.Origin) -> Int? = { _ in nil }) -> [Finding] {
    findings.map { finding in
      var finding = finding
      finding.attempts = finding.origin.flatMap(attempts)
      return finding
    }
  }
}

extension Finding {
  /// The most characters of the message, and of each other text.
  private static let longestMessage = 4096
  fileprivate static let longestLine = 1024
  /// The most lines, frames of a stack, and steps.
  private static let mostLines = 200
  private static let mostFrames = 64
  private static let mostSteps = 2000

  /// The finding with texts and lists of a bounded length: a name may have megabytes.
  package var cut: Finding {
    func line(_ text: String) -> String { cutText(text, to: Self.longestLine) }
    var finding = self
    finding.message = cutText(message, to: Self.longestMessage)
    finding.resource = resource.map(line)
    finding.details = details.prefix(Self.mostLines).map(line)
    finding.sides = sides.map {
      Side(
        title: line($0.title), place: $0.place.cut,
        stack: $0.stack.prefix(Self.mostFrames).map(\.cut))
    }
    finding.steps = steps.prefix(Self.mostSteps).map {
      Step(party: line($0.party), text: line($0.text), place: $0.place?.cut)
    }
    return finding
  }
}

extension StackFrame {
  fileprivate var cut: StackFrame {
    var frame = self
    frame.function = function.map { cutText($0, to: 1024) }
    frame.file = file.map { cutText($0, to: 4096) }
    return frame
  }
}

/// The first characters of a text, with an ellipsis if some are left out.
package func cutText(_ text: String, to most: Int) -> String {
  // A text with few bytes has no more characters: most texts need no count.
  guard text.utf8.count > most else { return text }
  // A character may have any number of combining marks.
  let scalars = text.unicodeScalars
  if let end = scalars.index(
    scalars.startIndex, offsetBy: (max(0, most) + 1) * mostScalars, limitedBy: scalars.endIndex),
    end < scalars.endIndex
  {
    return text[..<end].prefix(max(0, most - 1)) + "…"
  }
  return text.count > most ? text.prefix(max(0, most - 1)) + "…" : text
}

/// The most scalars of a character that count, as an average: an emoji of a family has seven.
private let mostScalars = 16

/// Lines for an element of XML: each cut as a line of a finding, and all of them to a length that
/// every reader takes. The most common one, libxml2, refuses a text of ten million bytes.
package func cutLines(_ lines: [String]) -> [String] {
  var bytes = 0
  var result: [String] = []
  for line in lines {
    let short = cutText(line, to: Finding.longestLine)
    bytes += short.utf8.count
    guard bytes <= mostBytesOfLines else { return result + ["…"] }
    result.append(short)
  }
  return result
}

/// The most bytes of all lines of an element: escaped, they are at most ten times as many.
private let mostBytesOfLines = 900_000
