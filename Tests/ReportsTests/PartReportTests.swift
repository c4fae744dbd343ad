import Interlock
import StressRunner
import Testing

@testable import Reports

/// Parts and witnesses in every report that shows a conflict.
struct PartReportTests {
  private static func result(_ change: (inout Conflict) -> Void) -> TrialResult {
    Samples.result(Samples.writes, "unlocked") { seen in
      var conflict = Conflict(
        resource: "users",
        first: side(.noWrite, line: 1), second: side(.noReadWrite, line: 2))
      conflict.instance = "#3"
      change(&conflict)
      seen.conflicts = [conflict]
    }
  }

  private static func side(_ mode: Mode, line: Int) -> Conflict.Side {
    Conflict.Side(
      mode: mode, synched: false, place: Place(file: "A.swift", line: line, function: "f()"),
      thread: "main", queue: nil, stack: [])
  }

  private static func text(_ result: TrialResult) -> String {
    EvidenceText(context: Samples.context, style: TextStyle(color: false), isVerbose: false)
      .lines(result, times: 1, of: 1).joined(separator: "\n")
  }

  @Test("A conflict's part is shown with the resource and each side, without control characters")
  func parts() {
    let result = Self.result {
      $0.first.part = "k\u{1B}[31m"
      $0.second.part = "k\u{1B}[31m"
    }
    let text = Self.text(result)
    #expect(text.contains("conflict on 'users #3 [k"))
    #expect(text.contains("first, in the section: read [k"))
    #expect(!text.contains("\u{1B}"))
    let json = JSONReport.entry(result)
    #expect(json.contains(#""resource": "users #3 [k"#))
    #expect(json.contains(#""part": "k"#))
  }

  @Test("A changed witness has its values, and no second side in the text")
  func witness() {
    let result = Self.result { $0.witness = .init(before: "12 bytes", after: "13 bytes") }
    let text = Self.text(result)
    #expect(text.contains("in the section, changed by unmarked code: read  A.swift:1"))
    #expect(text.contains("    before: 12 bytes\n    after:  13 bytes\n"))
    #expect(!text.contains("at its begin"))
    #expect(
      JSONReport.entry(result).contains(
        """
        "witness": {
                    "before": "12 bytes",
                    "after": "13 bytes"
                  }
        """))
  }
}
