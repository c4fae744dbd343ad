import Foundation
import Findings
import StressRunner
import Testing
import TestSupport

@testable import Reports

/// The reason for a verdict in the JSON.
@Suite("A reason in the JSON")
struct ReasonTests {
  @Test("The reason of every verdict is the one in the golden file")
  func golden() {
    let lines = VerdictMessageTests().groups.joined().map { result in
      let reason = JSONWriter.text(JSONReport.reason(result.verdict))
        .replacing(/\n */, with: " ")
      return "\(verdictText(result.verdict)): \(reason)\n"
    }
    expectGolden(lines.joined(), "reasons.txt")
  }

  @Test("The schema names every kind of reason that the JSON can have")
  func documented() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let schema = try String(
      contentsOf: root.appending(path: "ci/report-schema.md"), encoding: .utf8)
    for result in VerdictMessageTests().groups.joined() {
      guard case .object(let members) = JSONReport.reason(result.verdict).content else { continue }
      for member in members {
        let word: String
        if member.key == "kind", case .string(let kind) = member.value.content {
          word = kind
        } else {
          word = member.key
        }
        #expect(schema.contains("`\(word)`"), "\(word)")
      }
    }
  }
}
