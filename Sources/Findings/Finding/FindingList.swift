import Interlock

/// Distinct findings, in the order in which they were first found.
package struct FindingList: Sendable {
  /// The identity of a finding in the list.
  private struct Identity: Hashable {
    var key: Finding.Key
    var origin: String?
  }

  private var findings: [Finding] = []
  private var positions: [Identity: Int] = [:]

  /// Creates an empty list.
  package init() {}

  /// Adds a finding. If the same trial has shown it before, only its count grows.
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

  /// The findings. Those of a trial have the number of its attempts: `attempts` returns that for an
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
  /// The most characters of the message, and of every other text.
  private static let longestMessage = 4096
  fileprivate static let longestLine = 1024
  /// The most lines, frames of a stack, and steps.
  private static let mostLines = 200
  private static let mostFrames = 64
  private static let mostSteps = 2000

  /// The finding with bounded texts and lists: a name may have megabytes.
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

/// The first characters of a text, with an ellipsis if the text is cut.
package func cutText(_ text: String, to most: Int) -> String {
  // A text has at most as many characters as bytes: most texts need no counting.
  guard text.utf8.count > most else { return text }
  // Cut by scalars first: one character may have any number of combining marks.
  let scalars = text.unicodeScalars
  if let end = scalars.index(
    scalars.startIndex, offsetBy: (max(0, most) + 1) * mostScalars, limitedBy: scalars.endIndex),
    end < scalars.endIndex
  {
    return text[..<end].prefix(max(0, most - 1)) + "…"
  }
  return text.count > most ? text.prefix(max(0, most - 1)) + "…" : text
}

/// The most scalars that count for a character, on average: an emoji of a family has seven.
private let mostScalars = 16

/// Cuts lines for an XML element, each one and all of them together, to lengths that every reader
/// accepts. The most common reader, libxml2, refuses a text of ten million bytes.
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

/// The most bytes of an element's lines. Escaping makes them at most ten times as long.
private let mostBytesOfLines = 900_000
