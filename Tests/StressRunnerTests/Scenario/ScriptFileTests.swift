import StressRunner
import Hangs
import Testing

@Suite("A script in a scenario file")
struct ScriptFileTests {
  private func file(_ script: String, rest: String = "") -> String {
    """
    {
      "name": "a", "summary": "b", "source": "c",
      "workload": { "keys": { "count": 2 }, "valueBytes": 16,
        "script": \(script) }\(rest)
    }
    """
  }

  private func parse(_ text: String) throws -> Scenario {
    try ScenarioFile(parsing: Array(text.utf8), path: "a.json").scenario
  }

  private func message(_ text: String) -> String {
    do throws(ScenarioError) {
      _ = try ScenarioFile(parsing: Array(text.utf8), path: "a.json")
      return ""
    } catch {
      return error.description
    }
  }

  private let roles = #""roles": { "A": [{ "do": "get" }], "B": [{ "do": "set", "value": 1 }] }"#

  @Test("Roles, calls and steps are read in their order")
  func whole() throws {
    let scenario = try parse(
      file(
        """
        { "prepare": [{ "do": "set", "key": 1 }],
          "roles": {
            "B": [{ "do": "subject.trim-to-cost", "cost": 5, "times": 3, "waits": false }],
            "A": [{ "do": "get-async", "key": 1 }, { "do": "set", "value": 2, "bytes": 9 }]
          },
          "order": ["A: cache.get.afterMiss", "B: call 1 begins", "A: call 2 ends"],
          "seconds": 0.5,
          "heldUp": { "from": "cache.trim.foundTaken", "until": "cache.trim.triesAgain" } }
        """))
    let script = try #require(scenario.workload.script)
    #expect(script.preparation == [Script.Call(.set, key: 1, bytes: 16)])
    #expect(
      script.roles == [
        Script.Role(
          "B",
          [Script.Call(.action("trim-to-cost"), bytes: 16, cost: 5, times: 3, waits: false)]),
        Script.Role(
          "A",
          [
            Script.Call(.getAsync, key: 1, bytes: 16, waits: false),
            Script.Call(.set, value: 2, bytes: 9),
          ]),
      ])
    #expect(
      script.order == [
        Script.Step("A", "cache.get.afterMiss"), Script.Step("B", "call 1 begins"),
        Script.Step("A", "call 2 ends"),
      ])
    #expect(script.seconds == 0.5)
    #expect(
      script.heldUp == Script.HeldUp(from: "cache.trim.foundTaken", until: "cache.trim.triesAgain"))
    #expect(scenario.workload.operationCount == 5)
    #expect(scenario.workload.phases.map(\.callers) == [2])
  }

  @Test("Each mistake in a script gets one line with what was found and what was expected")
  func mistakes() {
    let cases: [(script: String, message: String)] = [
      ("{ }", "a.json:4: 'script' needs the key 'roles'"),
      ("{ \"roles\": {} }", "a.json:4: 'roles' must hold 1 to 16 roles, found 0"),
      (
        #"{ "roles": { "A b": [{ "do": "get" }] } }"#,
        "a.json:4: a role's name must be at most 20 letters and digits, found 'A b'"
      ),
      (
        #"{ "roles": { "A": [{ "do": "gett" }] } }"#,
        "a.json:4: 'do' cannot be 'gett': did you mean 'get'?"
      ),
      (
        #"{ "roles": { "A": [{ "do": "subject.Trim" }] } }"#,
        "a.json:4: a subject's own call must be 'subject.' and lower-case words joined by hyphens,"
          + " found 'subject.Trim'"
      ),
      (
        #"{ "roles": { "A": [{ "do": "get", "key": 2 }] } }"#,
        "a.json:4: 'key' must be a whole number from 0 to 1, found 2"
      ),
      (
        "{ \(roles), \"order\": [\"C: call 1 ends\"] }",
        "a.json:4: there is no role 'C': expected one of: A, B"
      ),
      (
        "{ \(roles), \"order\": [\"A call 1 ends\"] }",
        "a.json:4: a step must be 'ROLE: PLACE', as 'A: cache.get.afterMiss' or 'A: call 1 ends',"
          + " found 'A call 1 ends'"
      ),
      (
        "{ \(roles), \"order\": [\"A: call 2 ends\"] }",
        "a.json:4: a place must be a sync point's name, as 'cache.get.afterMiss', or"
          + " 'call N begins' or 'call N ends' with N from 1 to 1, found 'call 2 ends'"
      ),
      (
        "{ \(roles), \"heldUp\": { \"from\": \"a.b\" } }",
        "a.json:4: 'heldUp' needs the key 'until'"
      ),
      (
        "{ \(roles), \"heldUp\": { \"from\": \"call 1 ends\", \"until\": \"a.b\" } }",
        "a.json:4: 'from' must be a sync point's name, as 'cache.get.afterMiss',"
          + " found 'call 1 ends'"
      ),
      (
        "{ \(roles), \"seconds\": 2 }",
        "a.json:4: 'seconds' must be below 'stallSeconds', so that a script is given up before it"
          + " counts as a deadlock: found 2.0 and 2.0"
      ),
    ]
    for (script, expected) in cases { #expect(message(file(script)) == expected) }
    #expect(
      message(file("{ \(roles) }").replacing("\"keys\"", with: "\"driver\": \"threads\", \"keys\""))
        == "a.json:3: 'driver' cannot stand beside 'script', which has roles and an order")
  }

  @Test("A subject that keeps the order may have a cause, which is checked")
  func kept() throws {
    func rest(_ cause: String) -> String {
      #", "expect": { "x": { "verdict": "deadlock", "order": "kept", "cause": "\#(cause)" } }"#
    }
    let scenario = try parse(file("{ \(roles) }", rest: rest("cycle")))
    #expect(scenario.expectation(for: "x").cause == .cycle)
    #expect(message(file("{ \(roles) }", rest: rest("nonsense"))).contains("'cause'"))
  }

  @Test("An order that a fix excludes can be expected only of a passing subject")
  func excluded() throws {
    let scenario = try parse(
      file(
        "{ \(roles) }",
        rest: #", "expect": { "x": { "verdict": "passed", "order": "excluded" } }"#))
    #expect(scenario.expectation(for: "x").excludesOrder)
    #expect(
      message(
        file(
          "{ \(roles) }", rest: #", "expect": { "x": { "verdict": "race", "order": "excluded" } }"#)
      )
        == "a.json:4: only what has 'passed' can have excluded the order, found 'race'")
  }

  @Test(
    "A recipe names two subjects; each subject that it or 'expect' names must be listed and exist")
  func recipe() throws {
    let recipe =
      #", "recipe": { "id": "TM-3", "system": "T", "design": "d", "bug": "b", "asShipped": "x", "#
      + #""repaired": "y" }, "subjects": ["x", "y"]"#
    let scenario = try parse(file("{ \(roles) }", rest: recipe))
    #expect(scenario.subjects == ["x", "y"])
    #expect(scenario.recipe?.repaired == "y")
    #expect(
      message(file("{ \(roles) }", rest: recipe + #", "expect": { "z": "race" }"#))
        == "a.json:4: 'subjects' does not list 'z': expected one of: x, y")
  }
}
