import Testing
import WaitForGraph

@testable import StressRunner

/// A valid scenario file, with one line that a test may replace.
private func file(
  workload: String = "", phase: String = #"{ "callers": 2, "operations": ["get"] }"#,
  rest: String = "", name: String = "\"reads\""
) -> String {
  """
  {
    "name": \(name),
    "summary": "reads",
    "source": "a test",
    "workload": {
      "driver": "threads",
      \(workload)
      "phases": [
        \(phase)
      ]
    }\(rest)
  }
  """
}

private func parse(
  _ text: String, platform: PlatformName = .linux
) throws(ScenarioError) -> ScenarioFile {
  try ScenarioFile(parsing: Array(text.utf8), path: "reads.json", platform: platform)
}

private func message(_ text: String) -> String? {
  do throws(ScenarioError) {
    _ = try parse(text)
    return nil
  } catch {
    return error.description
  }
}

@Suite("A scenario file is parsed")
struct ScenarioFileTests {
  @Test("A missing key has its default")
  func defaults() throws {
    let scenario = try parse(file()).scenario
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
    let text = file(
      workload: """
        "seed": 18446744073709551615, "keys": { "count": 9, "distribution": "zipf" },
        "valueBytes": 0, "prepare": "all-keys",
        """,
      phase: #"{ "callers": 3, "rounds": 4, "operations": { "set": 1, "get": 9 } }"#,
      rest: """
        , "limits": { "stallSeconds": 0.5, "timeSeconds": 9, "memoryMebibytes": 64 },
        "oracles": ["nothing-lost"], "expect": { "a": "race", "b": { "verdict": "deadlock" } }
        """)
    let scenario = try parse(text).scenario
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
      return try parse(file(rest: expect)).scenario.expectation(for: "a")
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
    let linux = try parse(file(rest: expect), platform: .linux).scenario
    let darwin = try parse(file(rest: expect), platform: .darwin).scenario
    #expect(linux.expectation(for: "a") == StressRunner.Expectation(verdict: .passed))
    #expect(
      darwin.expectation(for: "a") == StressRunner.Expectation(verdict: .deadlock, cause: .cycle))
    #expect(
      message(file(rest: #", "expect": { "a": { "linux": "passed", "darwin": "pased" } }"#))
        == "reads.json:11: 'darwin' cannot be 'pased': did you mean 'passed'?")
    #expect(
      message(file(rest: #", "expect": { "a": { "linux": "passed" } }"#))
        == "reads.json:11: 'a' needs the key 'darwin'")
    #expect(
      message(file(rest: #", "expect": { "unlocked": {} }"#))
        == "reads.json:11: 'unlocked' needs the key 'verdict'")
  }

  @Test("A pool's width is a number of processors")
  func pool() throws {
    #expect(try parse(file(rest: #", "pool": { "width": 3 }"#)).scenario.poolWidth == 3)
    #expect(try parse(file()).scenario.poolWidth == nil)
    for width in ["0", "1025", "1.5"] {
      #expect(
        message(file(rest: ", \"pool\": { \"width\": \(width) }"))
          == "reads.json:11: 'width' must be a whole number from 1 to 1024, found \(width)")
    }
  }

  @Test("A subject that does not exist is named with its line and the nearest one")
  func subjects() throws {
    let parsed = try parse(
      file(rest: ",\n\"expect\": {\n\"mutex\": \"passed\",\n\"unloked\": \"race\"}"))
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

  private func entry(_ name: String) -> SubjectEntry {
    SubjectEntry(name: name, summary: "", actions: ["trim-to-cost"]) { NoSubject() }
  }
}

/// Never made.
private final class NoSubject: Subject {
  func perform(
    _ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {}
}

/// A text and its error message.
private struct Fault: Sendable {
  var text: String
  var message: String

  init(_ text: String, _ message: String) {
    self.text = text
    self.message = message
  }
}

private let knownFaults: [Fault] = [
  Fault(
    file(phase: #"{ "callers": -3, "operations": ["get"] }"#),
    "9: 'callers' must be a whole number from 1 to 1000000, found -3"
  ),
  Fault(
    file(phase: #"{ "callers": 1e99, "operations": ["get"] }"#),
    "9: 'callers' must be a whole number from 1 to 1000000, found 1e99"
  ),
  Fault(
    file(phase: #"{ "callers": 1.5, "operations": ["get"] }"#),
    "9: 'callers' must be a whole number from 1 to 1000000, found 1.5"
  ),
  Fault(
    file(phase: #"{ "callers": 99999999999999999999, "operations": ["get"] }"#),
    "9: 'callers' must be a whole number from 1 to 1000000, found 99999999999999999999"
  ),
  Fault(
    file(phase: #"{ "callers": "ten", "operations": ["get"] }"#),
    "9: 'callers' must be a whole number from 1 to 1000000, found \"ten\""
  ),
  Fault(
    file(phase: #"{ "calers": 3, "operations": ["get"] }"#),
    "9: unknown key 'calers': did you mean 'callers'?"
  ),
  Fault(file(phase: #"{ "operations": ["get"] }"#), "9: a phase needs the key 'callers'"),
  Fault(file(phase: "7"), "9: a phase must be an object, found 7"),
  Fault(file(phase: ""), "8: 'phases' must hold 1 to 16 phases, found 0"),
  Fault(
    file(phase: #"{ "callers": 1, "operations": ["gte"] }"#),
    "9: 'operations' cannot be 'gte': did you mean 'get'?"
  ),
  Fault(
    file(phase: #"{ "callers": 1, "operations": [] }"#),
    "9: 'operations' must hold 1 to 100 operations, found 0"
  ),
  Fault(
    file(phase: #"{ "callers": 1, "operations": {} }"#),
    "9: 'operations' must hold at least one operation"
  ),
  Fault(
    file(phase: #"{ "callers": 1, "operations": { "get": 0 } }"#),
    "9: 'get' must be a whole number from 1 to 1000000, found 0"
  ),
  Fault(
    file(phase: #"{ "callers": 1, "operations": { "gets": 1 } }"#),
    "9: unknown key 'gets': did you mean 'get'?"
  ),
  Fault(
    file(phase: #"{ "callers": 1, "operations": "get" }"#),
    "9: 'operations' must be a list of operations, or an object of operations and weights,"
      + " found \"get\""
  ),
  Fault(
    file(workload: #""seed": -1,"#),
    "7: 'seed' must be a whole number from 0 to 18446744073709551615, found -1"
  ),
  Fault(
    file(workload: #""keys": { "count": 0 },"#),
    "7: 'count' must be a whole number from 1 to 1000000, found 0"
  ),
  Fault(
    file(workload: #""keys": { "distribution": "uniforn" },"#),
    "7: 'distribution' cannot be 'uniforn': did you mean 'uniform'?"
  ),
  Fault(
    file(workload: #""valueBytes": 16777217,"#),
    "7: 'valueBytes' must be a whole number from 0 to 16777216, found 16777217"
  ),
  Fault(
    file(workload: #""prepare": true,"#),
    "7: 'prepare' must be one of: nothing, all-keys, found true"
  ),
  Fault(
    file(name: "\"Reads!\""),
    "2: 'name' must be lower-case words joined by hyphens, at most 60 characters,"
      + " found \"Reads!\""
  ),
  Fault(
    file(name: "\"../reads\""),
    "2: 'name' must be lower-case words joined by hyphens, at most 60 characters,"
      + " found \"../reads\""
  ),
  Fault(
    file(name: "null"),
    "2: 'name' must be lower-case words joined by hyphens, at most 60 characters, found null"
  ),
  Fault(
    file(rest: #", "limits": { "timeSeconds": 0 }"#),
    "11: 'timeSeconds' must be a number of seconds from 0.1 to 3600, found 0"
  ),
  Fault(
    file(rest: #", "limits": { "memoryMebibytes": 1000000 }"#),
    "11: 'memoryMebibytes' must be a whole number from 16 to 65536, found 1000000"
  ),
  Fault(
    file(rest: #", "oracles": "completes-once""#),
    "11: 'oracles' must be a list of oracles, found \"completes-once\""
  ),
  Fault(
    file(rest: #", "oracles": ["complete-once"]"#),
    "11: 'oracles' cannot be 'complete-once': did you mean 'completes-once'?"
  ),
  Fault(
    file(rest: #", "oracles": ["count-matches", "count-matches"]"#),
    "11: 'oracles' names 'count-matches' twice"
  ),
  Fault(
    file(rest: #", "expect": { "a": "dedlock" }"#),
    "11: 'a' cannot be 'dedlock': did you mean 'deadlock'?"
  ),
  Fault(
    file(rest: #", "expect": { "a": { "verdict": "race", "cause": "cycle" } }"#),
    "11: only a deadlock or a crash has a 'cause', found it beside 'race'"
  ),
  Fault(
    file(rest: #", "expect": { "a": { "verdict": "passed", "cause": "self" } }"#),
    "11: only a deadlock or a crash has a 'cause', found it beside 'passed'"
  ),
  Fault(
    file(rest: #", "expect": { "a": { "verdict": "crashed", "cause": "cycle" } }"#),
    "11: the 'cause' of a crash can only be 'self', found 'cycle'"
  ),
  Fault(
    file(rest: #", "expect": { "a": { "verdict": "deadlock", "cause": "starving" } }"#),
    "11: 'cause' cannot be 'starving': did you mean 'starvation'?"
  ),
  Fault(
    file(rest: #", "expect": { "a": 3 }"#),
    "11: the expectation of 'a' must be a verdict, or an object with 'verdict', found 3"
  ),
  Fault(
    file(rest: #", "expected": {}"#), "11: unknown key 'expected': did you mean 'expect'?"
  ),
  Fault(
    file(rest: #", "command": "rm""#),
    "11: unknown key 'command': expected one of: name, summary, source, recipe, subjects,"
      + " pool, workload, limits, oracles, expect, explore"
  ),
  Fault("[]", "1: a scenario must be an object, found a list"),
  Fault("{}", "1: a scenario needs the key 'name'"),
  Fault("{\n\"name\": }", "2: expected a value, found '}'"),
]

@Suite("A fault in a scenario file is one line")
struct ScenarioFaultTests {
  @Test(
    "Wrong types, numbers and words each get one line with what was found and expected",
    arguments: knownFaults)
  fileprivate func faults(_ fault: Fault) {
    #expect(message(fault.text) == "reads.json:" + fault.message)
  }

  @Test("'skipped' cannot be expected, since a skipped trial is not judged")
  func skippedExpectation() {
    let text = message(file(rest: #", "expect": { "a": "skipped" }"#))
    #expect(text?.hasPrefix("reads.json:11: 'a' cannot be 'skipped'") == true)
  }

  @Test("Numbers that are valid alone must be valid together")
  func totals() {
    let many = #"{ "callers": 1000000, "rounds": 1000000, "operations": ["get", "get"] }"#
    #expect(
      message(file(phase: Array(repeating: many, count: 16).joined(separator: ",")))
        == "reads.json:8: 'phases' make 32000000000000 calls in all, expected at most 10000000")
    #expect(
      message(file(phase: #"{ "callers": 5000, "operations": ["get"] }"#))
        == "reads.json:8: 'callers' must be at most 4096 with the driver 'threads', found 5000")
    #expect(
      message(file(workload: #""keys": { "count": 1000000 }, "valueBytes": 16777216,"#))
        == "reads.json:7: the values of all keys take 16000000 MiB (1000000 × 16777216 bytes),"
        + " expected less than 'memoryMebibytes', 1024")
    #expect(
      message(file(workload: #""keys": { "count": 1, "distribution": "per-caller" },"#))
        == "reads.json:7: 'count' must be at least the callers of each phase with the distribution"
        + " 'per-caller': found 1 for 2")
  }
}
