import Findings
import Foundation
import StressRunner
import Testing

@testable import Reports

@Suite("The findings in the JSON report")
struct JSONFindingsTests {
  private func findings(_ failing: FailureSettings) throws -> [[JSONValue]] {
    let text = JSONReport(failing).text(
      Samples.all, of: Samples.trials, seconds: 1, Samples.context)
    let report = try JSONReader.read(Array(text.utf8))
    return try #require(report["results"]?.list).map { $0["findings"]?.list ?? [] }
  }

  @Test("A JSON entry has the findings of its trial, and none if the trial is as expected")
  func entries() throws {
    let found = try findings(FailureSettings())
    for (result, values) in zip(Samples.all, found) {
      let expected = result.findings(FailureSettings(), Samples.context)
      #expect(values.map { $0["fingerprint"]?.string } == expected.map(\.key.fingerprint))
      #expect(values.isEmpty == (result.isMet != false))
      #expect(values.allSatisfy { $0["known"]?.content == .null })
    }
    let race = try #require(found.last?.first)
    #expect(race["kind"]?.string == "race" && race["level"]?.string == "error")
    #expect(race["resource"]?.string == "cache.entries")
  }

  @Test("A finding of the baseline has its reason in the JSON, and other findings have none")
  func known() throws {
    let race = try #require(Samples.race.findings(FailureSettings(), Samples.context).first)
    let functions = race.key.functions.map { "\"\($0)\"" }.joined(separator: ", ")
    var failing = FailureSettings()
    failing.today = "2026-11-23"
    failing.known = try KnownFindings(
      Array(
        """
        {"schema": "interlock-known-findings", "schemaVersion": 1, "suppress": [], "known": [
          {"kind": "race", "resource": "\(race.key.resource)", "functions": [\(functions)],
           "reason": "rewritten in May"}]}
        """.utf8))
    let reasons = try findings(failing).map { $0.map { $0["known"]?.string } }
    // The last two findings are of the same race.
    #expect(reasons.suffix(2) == [["rewritten in May"], ["rewritten in May"]])
    let others = reasons.dropLast(2).flatMap(\.self)
    #expect(others.count > 1 && others.allSatisfy { $0 == nil })
  }
}
