import Testing

@testable import StressRunner

/// A text and its error message.
private struct Fault: Sendable {
  var text: String
  var message: String

  init(_ text: String, _ message: String) {
    self.text = text
    self.message = message
  }
}

extension ScenarioText {
  fileprivate static let faults: [Fault] = [
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
}

@Suite("A fault in a scenario file is one line")
struct ScenarioFaultTests {
  @Test(
    "Wrong types, numbers and words each get one line with what was found and expected",
    arguments: ScenarioText.faults)
  fileprivate func faults(_ fault: Fault) {
    #expect(ScenarioText.message(fault.text) == "reads.json:" + fault.message)
  }

  @Test("'skipped' cannot be expected, since a skipped trial is not judged")
  func skippedExpectation() {
    let text = ScenarioText.message(ScenarioText.file(rest: #", "expect": { "a": "skipped" }"#))
    #expect(text?.hasPrefix("reads.json:11: 'a' cannot be 'skipped'") == true)
  }

  @Test("Numbers that are valid alone must be valid together")
  func totals() {
    let many = #"{ "callers": 1000000, "rounds": 1000000, "operations": ["get", "get"] }"#
    #expect(
      ScenarioText.message(
        ScenarioText.file(phase: Array(repeating: many, count: 16).joined(separator: ",")))
        == "reads.json:8: 'phases' make 32000000000000 calls in all, expected at most 10000000")
    #expect(
      ScenarioText.message(ScenarioText.file(phase: #"{ "callers": 5000, "operations": ["get"] }"#))
        == "reads.json:8: 'callers' must be at most 4096 with the driver 'threads', found 5000")
    #expect(
      ScenarioText.message(
        ScenarioText.file(workload: #""keys": { "count": 1000000 }, "valueBytes": 16777216,"#))
        == "reads.json:7: the values of all keys take 16000000 MiB (1000000 × 16777216 bytes),"
        + " expected less than 'memoryMebibytes', 1024")
    #expect(
      ScenarioText.message(
        ScenarioText.file(workload: #""keys": { "count": 1, "distribution": "per-caller" },"#))
        == "reads.json:7: 'count' must be at least the callers of each phase with the distribution"
        + " 'per-caller': found 1 for 2")
  }
}
