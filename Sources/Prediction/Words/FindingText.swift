package import Interlock
import ProcessInspection
import WaitForGraph

/// A finding in lines, for people. What comes from the code under test (names of threads, labels)
/// has been made fit for a terminal; the names of functions have not.
package struct FindingText {
  /// The kind and the whole in one line.
  package let headline: String
  /// Who takes part, indented by two for each level.
  package let details: [String]

  /// Writes a finding.
  ///
  /// - Parameters:
  ///   - finding: What is told.
  ///   - mostFrames: So many frames of each stack are shown; the rest is counted.
  package init(_ finding: PotentialFinding, mostFrames: Int) {
    let often = finding.count > 1 ? ", \(finding.count) times" : ""
    headline = "\(finding.kind.rawValue): \(finding.headline)\(often)"
    var lines: [String] = []
    for side in finding.sides {
      lines.append("\(side.who) \(side.act)" + Self.at(side.place))
      lines += side.held.map { held in
        "  holds \(held.object)" + (held.place.isEmpty ? "" : ", taken" + Self.at(held.place))
      }
      lines += side.stack.prefix(mostFrames).enumerated().map { "  #\($0.offset) \($0.element)" }
      let left = side.stack.count - mostFrames
      if left > 0 { lines.append("  … \(left) more frames") }
    }
    details = lines
  }

  /// ` at transfer(to:)  Bank.swift:21`, by the first frame that is a user's; empty where there is
  /// none.
  package static func at(_ frames: [StackFrame]) -> String {
    (frames.first { !$0.isSystem } ?? frames.first).map { " at \($0)" } ?? ""
  }
}
