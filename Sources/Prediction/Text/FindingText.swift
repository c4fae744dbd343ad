import HangReports
import Interlock
import ProcessInspection
import Hangs

/// A finding as lines. Text from the code under test (thread names, labels) is escaped for a
/// terminal; function names are not.
package struct FindingText {
  /// The kind and the finding, in one line.
  package let headline: String
  /// The participants, indented by two columns for each level.
  package let details: [String]

  /// Formats a finding.
  ///
  /// - Parameters:
  ///   - finding: The finding.
  ///   - mostFrames: The most frames shown of each stack; the rest is counted. `nil` leaves
  ///     stacks out.
  package init(_ finding: PotentialFinding, mostFrames: Int?) {
    let often = finding.count > 1 ? ", \(finding.count) times" : ""
    headline = "\(finding.kind.rawValue): \(finding.headline)\(often)"
    var lines: [String] = []
    for side in finding.sides {
      lines.append("\(side.party) \(side.act)" + Self.at(side))
      lines += Self.held(by: side).map { "  " + $0 }
      guard let mostFrames else { continue }
      lines += side.stack.prefix(mostFrames).enumerated().map { "  #\($0.offset) \($0.element)" }
      let left = side.stack.count - mostFrames
      if left > 0 { lines.append("  … \(left) more frames") }
    }
    details = lines
  }

  /// ` at transfer(to:)  Bank.swift:21`, for the first frame in user code outside of a lock's
  /// functions; empty if there is none.
  package static func at(_ side: PotentialFinding.Side) -> String {
    at(CallersOnStack.of(side.place, in: side.stack))
  }

  /// `holds one lock, taken at transfer(to:)  Bank.swift:20`, one line for each lock.
  package static func held(by side: PotentialFinding.Side) -> [String] {
    side.held.map { held in
      let place = CallersOnStack.ofHeldLocks([held.place], besides: side.place, in: side.stack)[0]
      let at = at(place)
      return "holds \(held.object)" + (at.isEmpty ? "" : ", taken" + at)
    }
  }

  private static func at(_ frames: [StackFrame]) -> String {
    if let site = PlaceText.callSite(of: frames) {
      return " at \(site.place)" + (site.helper.map { " by \($0)" } ?? "")
    }
    return frames.first { !$0.isSystem }.map { " at \($0)" } ?? ""
  }
}
