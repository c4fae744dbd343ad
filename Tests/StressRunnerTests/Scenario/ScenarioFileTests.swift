import Testing
import Hangs

@testable import StressRunner

@Suite("A scenario file is parsed")
struct ScenarioFileTests {
  @Test("A missing key has its default")
  func defaults() throws {
    let scenario = try ScenarioText.parse(ScenarioText.file()).scenario
    #expect(scenario.workload.seed == 1)
    #expect(scenario.workload.keys == 1)
    #expect(scenario.workload.distribution == .uniform)
    #expect(scenario.workload.valueBytes == 64)
    #expect(!scenario.workload.preparesAllKeys)
    #expect(scenario.workload.phases[0].rounds == 1)
    #expect(scenario.limits == Limits())
    #expect(scenario.oracles == [.completesOnce])
    #expect(scenario.expectation(for: "anything") == StressRunner.Expectation(verdict: .passed))
  }

  @Test("Every key's value is taken from the file")
  func everything() throws {
    let text = ScenarioText.file(
      workload: """
        "seed": 18446744073709551615, "keys": { "count": 9, "distribution": "zipf" },
        "valueBytes": 0, "prepare": "all-keys",
        """,
      phase: #"{ "callers": 3, "rounds": 4, "operations": { "set": 1, "get": 9 } }"#,
      rest: """
        , "limits": { "stallSeconds": 0.5, "timeSeconds": 9, "memoryMebibytes": 64 },
        "oracles": ["nothing-lost"], "expect": { "a": "race", "b": { "verdict": "deadlock" } }
        """)
    let scenario = try ScenarioText.parse(text).scenario
    #expect(scenario.workload.seed == .max)
    #expect(scenario.workload.keys == 9)
    #expect(scenario.workload.distribution == .zipf)
    #expect(scenario.workload.valueBytes == 0)
    #expect(scenario.workload.preparesAllKeys)
    #expect(scenario.workload.operationCount == 12)
    #expect(
      scenario.workload.phases[0].operations
        == .weighted([.init(kind: .set, weight: 1), .init(kind: .get, weight: 9)]))
    #expect(scenario.limits == Limits(stallSeconds: 0.5, timeSeconds: 9, memoryMebibytes: 64))
    #expect(scenario.oracles == [.nothingLost])
    #expect(scenario.expectation(for: "a") == StressRunner.Expectation(verdict: .race))
    #expect(scenario.expectation(for: "b") == StressRunner.Expectation(verdict: .deadlock))
  }

  @Test(
    "Every cause can be expected of a deadlock, 'self' of a crash, and is compared")
  func causes() throws {
    func expectation(_ verdict: String, _ cause: String) throws -> StressRunner.Expectation {
      let expect = #", "expect": { "a": { "verdict": "\#(verdict)", "cause": "\#(cause)" } }"#
      return try ScenarioText.parse(ScenarioText.file(rest: expect)).scenario.expectation(for: "a")
    }
    for cause in Diagnosis.Cause.allCases {
      let expected = try expectation("deadlock", cause.rawValue)
      #expect(expected == StressRunner.Expectation(verdict: .deadlock, cause: cause))
      for other in Diagnosis.Cause.allCases {
        #expect(expected.isMet(by: deadlock(other)) == (other == cause))
      }
    }
    let trapped = try expectation("crashed", "self")
    #expect(trapped == StressRunner.Expectation(verdict: .crashed, cause: .self))
    let own = Verdict.crashed(.signal(4, nil, diagnosis(.self)))
    #expect(trapped.isMet(by: own))
    #expect(!trapped.isMet(by: .crashed(.signal(4, nil, nil))))
    #expect(!trapped.isMet(by: deadlock(.self)))
    let any = StressRunner.Expectation(verdict: .crashed)
    #expect(any.isMet(by: own))
  }

  @Test("An expectation may differ by platform; other platforms' are checked too")
  func platforms() throws {
    let expect =
      #", "expect": { "a": { "linux": "passed", "darwin": { "verdict": "deadlock", "cause": "cycle" } } }"#
    let linux = try ScenarioText.parse(ScenarioText.file(rest: expect), platform: .linux).scenario
    let darwin = try ScenarioText.parse(ScenarioText.file(rest: expect), platform: .darwin).scenario
    #expect(linux.expectation(for: "a") == StressRunner.Expectation(verdict: .passed))
    #expect(
      darwin.expectation(for: "a") == StressRunner.Expectation(verdict: .deadlock, cause: .cycle))
    #expect(
      ScenarioText.message(
        ScenarioText.file(rest: #", "expect": { "a": { "linux": "passed", "darwin": "pased" } }"#))
        == "reads.json:11: 'darwin' cannot be 'pased': did you mean 'passed'?")
    #expect(
      ScenarioText.message(ScenarioText.file(rest: #", "expect": { "a": { "linux": "passed" } }"#))
        == "reads.json:11: 'a' needs the key 'darwin'")
    #expect(
      ScenarioText.message(ScenarioText.file(rest: #", "expect": { "unlocked": {} }"#))
        == "reads.json:11: 'unlocked' needs the key 'verdict'")
  }

  @Test("A pool's width is a number of processors")
  func pool() throws {
    #expect(
      try ScenarioText.parse(ScenarioText.file(rest: #", "pool": { "width": 3 }"#)).scenario
        .poolWidth == 3)
    #expect(try ScenarioText.parse(ScenarioText.file()).scenario.poolWidth == nil)
    for width in ["0", "1025", "1.5"] {
      #expect(
        ScenarioText.message(ScenarioText.file(rest: ", \"pool\": { \"width\": \(width) }"))
          == "reads.json:11: 'width' must be a whole number from 1 to 1024, found \(width)")
    }
  }

  @Test("A listed subject that does not exist is named with its line and the nearest one")
  func subjects() throws {
    let parsed = try ScenarioText.parse(
      ScenarioText.file(rest: ",\n\"subjects\": [\n\"mutex\",\n\"unloked\"]"))
    try parsed.check(against: [entry("mutex"), entry("unloked")])
    #expect(throws: ScenarioError.self) {
      try parsed.check(against: [entry("mutex"), entry("unlocked")])
    }
    do throws(ScenarioError) {
      try parsed.check(against: [entry("mutex"), entry("unlocked")])
    } catch {
      #expect(
        error.description
          == "reads.json:14: there is no subject 'unloked': did you mean 'unlocked'?")
    }
  }

  @Test("An expectation may name a subject that does not exist: the file is shared")
  func expectedSubjects() throws {
    let parsed = try ScenarioText.parse(
      ScenarioText.file(rest: ",\n\"expect\": {\n\"mutex\": \"passed\",\n\"unloked\": \"race\"}"))
    try parsed.check(against: [entry("mutex"), entry("unlocked")])
    #expect(Set(parsed.expectedSubjects.keys) == ["mutex", "unloked"])
  }

  private func entry(_ name: String) -> SubjectEntry {
    SubjectEntry(name: name, summary: "", actions: ["trim-to-cost"]) { NoSubject() }
  }
}

/// A type that is never instantiated.
private final class NoSubject: Subject {
  func perform(
    _ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {}
}
