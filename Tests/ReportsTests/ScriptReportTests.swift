import Findings
import StressRunner
import Testing

@testable import Reports

/// Reports of scenarios with a script, and with their own list of subjects.
@Suite("A report of a script")
struct ScriptReportTests {
  private let script = Script(
    roles: [
      Script.Role("A", [Script.Call(.get)]), Script.Role("B", [Script.Call(.set, value: 1)]),
    ],
    order: [Script.Step("A", "cache.get.afterDiskRead"), Script.Step("B", "call 1 ends")])

  private func result(
    _ scenario: String, _ subject: String, expected: Verdict.Kind, _ record: ScriptRecord? = nil,
    failure: Observation.OracleFailure? = nil
  ) -> TrialResult {
    let scenario = Scenario(
      name: scenario, summary: "", source: "",
      workload: Workload(
        script: script, keys: 1, valueBytes: 64, preparesAllKeys: false, seed: 1),
      limits: Limits(), oracles: [], expectations: [subject: .init(verdict: expected)],
      subjects: ["shipped", "repaired-twin"])
    var observation = Observation(ending: .exited(code: 0), operations: 2)
    observation.completed = 2
    observation.finished = true
    observation.script = record
    observation.oracleFailures = failure.map { [$0] } ?? []
    return Samples.judged(Trial(scenario: scenario, subject: subject, seed: 1), observation)
  }

  private var results: [TrialResult] {
    [
      result(
        "tm-3-back-fill", "shipped", expected: .violation,
        failure: .init(oracle: .layersAgree, evidence: "two values")),
      result("tm-3-back-fill", "repaired-twin", expected: .passed),
      result("pin-10", "shipped", expected: .race),
    ]
  }

  @Test("Scenarios with their own subjects are a line each, with their subjects side by side")
  func listed() {
    let table = ListedTable(results, of: results.map(\.trial))
    let plain = TextStyle(color: false)
    #expect(
      table.lines(width: 100, style: plain) == [
        "tm-3-back-fill  ✓ violation shipped        ✓ passed    repaired-twin",
        "pin-10          ✗ passed    shipped",
      ])
    #expect(
      table.lines(width: 50, style: plain) == [
        "tm-3-back-fill  ✓ violation shipped",
        "                ✓ passed    repaired-twin",
        "pin-10          ✗ passed    shipped",
      ])
  }

  @Test("A script's interleaving is a table with a column for each role, and one for other threads")
  func interleaving() {
    let record = ScriptRecord(
      passages: [
        .init(role: "A", text: "get key-0"), .init(role: nil, text: "reaches cache.trim.begin"),
        .init(role: "B", text: "set key-0 to value 1"),
        .init(role: "A", text: "key-0 is \u{1B}[2Jvalue 0"),
      ], givenUp: "step 2 of 2, B's call 1 ends, was not reached within 1.5 s")
    #expect(
      InterleavingText(record, of: script).lines(limit: 3) == [
        "A          B                     others",
        "get key-0",
        "                                 reaches cache.trim.begin",
        "           set key-0 to value 1",
        "… 1 more",
        "the order was given up: step 2 of 2, B's call 1 ends, was not reached within 1.5 s",
      ])
    let all = InterleavingText(record, of: script).lines(limit: 4)
    #expect(all.allSatisfy { !$0.contains("\u{1B}") })
  }

  @Test("The JSON has a script's events, in order")
  func json() throws {
    let record = ScriptRecord(passages: [.init(role: "A", text: "get key-0")])
    let value = JSONReport.value(
      of: result("x", "shipped", expected: .passed, record))
    guard case .object(let members) = value.content else { return }
    let found = try #require(members.first { $0.key == "interleaving" })
    #expect(
      found.value
        == .object([
          "kept": .bool(true), "givenUp": .optional(nil),
          "passages": .array([.object(["role": .string("A"), "text": .string("get key-0")])]),
        ]))
  }
}
