import Testing
import Hangs

@testable import StressRunner

@Suite("Expected explorations")
struct ExploreExpectationTests {
  private func scenario(_ keys: String) throws -> Scenario {
    let text = """
      { "name": "a", "summary": "b", "source": "c",
        "workload": { "driver": "threads", "phases": [{ "callers": 1, "operations": ["get"] }] },
        \(keys) }
      """
    return try ScenarioFile(parsing: Array(text.utf8), path: "a.json").scenario
  }

  @Test("An expected exploration is a verdict, or an object with the cause or whether it finished")
  func parsing() throws {
    let scenario = try scenario(
      #"""
      "explore": {
        "x": "violation",
        "y": { "verdict": "passed", "finished": true },
        "z": { "verdict": "deadlock", "cause": "cycle" }
      }
      """#)
    var finished = StressRunner.Expectation(verdict: .passed)
    finished.isFinished = true
    #expect(scenario.exploreExpectation(for: "x") == .init(verdict: .violation))
    #expect(scenario.exploreExpectation(for: "y") == finished)
    #expect(scenario.exploreExpectation(for: "z") == .init(verdict: .deadlock, cause: .cycle))
    #expect(scenario.exploreExpectation(for: "other") == .init(verdict: .passed))
    #expect(scenario.isExploredOnly)
  }

  @Test("A subject without an expected exploration is expected to show the verdict of a run")
  func fallback() throws {
    let scenario = try scenario(
      #""expect": { "x": { "verdict": "deadlock", "cause": "self" } }, "explore": { "y": "race" }"#)
    #expect(scenario.exploreExpectation(for: "x") == .init(verdict: .deadlock, cause: .`self`))
    #expect(scenario.exploreExpectation(for: "y") == .init(verdict: .race))
    #expect(!scenario.isExploredOnly)
    #expect(try !self.scenario(#""expect": {}"#).isExploredOnly)
  }

  @Test("An exploration may fail in the other way that 'expect' accepts, and a run may not")
  func otherWay() throws {
    let scenario = try scenario(
      #"""
      "expect": {
        "x": { "verdict": "violation", "explored": "race" },
        "y": {
          "verdict": "crashed", "explored": { "verdict": "deadlock", "cause": "lost-wake-up" }
        }
      }
      """#)
    var expected = StressRunner.Expectation(verdict: .violation)
    expected.explored = .init(verdict: .race)
    #expect(scenario.exploreExpectation(for: "x") == expected)
    #expect(scenario.expectation(for: "x") == .init(verdict: .violation))
    let deadlock = StressRunner.Expectation.Explored(verdict: .deadlock, cause: .lostWakeUp)
    #expect(scenario.exploreExpectation(for: "y").explored == deadlock)
    // `explore` without names leaves this scenario out, because it has no key 'explore'.
    #expect(scenario.exploreExpectations.isEmpty && !scenario.isExploredOnly)

    #expect(expected.isMet(by: .violation(.miscount)))
    #expect(!expected.isMet(by: .passed))
    expected.explored = .init(verdict: .violation)
    expected.verdict = .race
    #expect(expected.isMet(by: .violation(.miscount)))
  }

  @Test(
    "A fault in what an exploration may show besides is one line",
    arguments: [
      (
        #"{ "verdict": "passed", "explored": "race" }"#,
        "'explored' is another way to fail, of a subject that fails: found 'race' beside 'passed'"
      ),
      (#"{ "verdict": "race", "explored": "passed" }"#, "'explored' is another way to fail"),
      (
        #"{ "verdict": "race", "explored": { "verdict": "race", "finished": true } }"#,
        "unknown key 'finished'"
      ),
    ])
  func otherWayMistakes(value: String, message: String) {
    #expect {
      _ = try scenario(#""expect": { "x": "# + value + " }")
    } throws: { error in
      "\(error)".lowercased().hasPrefix("a.json:3: " + message.lowercased())
    }
  }

  @Test(
    "A fault in the expected explorations is one line",
    arguments: [
      ("{}", "'explore' must name at least one subject"),
      (#""passed""#, "'explore' must be an object, found \"passed\""),
      (#"{ "x": "pased" }"#, "'x' cannot be 'pased': did you mean 'passed'?"),
      (#"{ "x": "skipped" }"#, "'x' cannot be 'skipped'"),
      (#"{ "x": 1 }"#, "the expectation of 'x' must be a verdict, or an object with 'verdict'"),
      (#"{ "x": { "finished": true } }"#, "'x' needs the key 'verdict'"),
      (
        #"{ "x": { "verdict": "violation", "finished": true } }"#,
        "only an exploration that 'passed' can be 'finished'"
      ),
      (#"{ "x": { "verdict": "race", "cause": "self" } }"#, "only a deadlock or a crash"),
      (#"{ "x": { "verdict": "passed", "finish": true } }"#, "unknown key 'finish': did you mean"),
    ])
  func mistakes(value: String, message: String) {
    #expect {
      _ = try scenario(#""explore": "# + value)
    } throws: { error in
      "\(error)".lowercased().hasPrefix("a.json:3: " + message.lowercased())
    }
  }

  @Test("An expected exploration of a subject that the scenario does not list is a mistake")
  func unlisted() {
    #expect {
      _ = try scenario(#""subjects": ["x"], "explore": { "y": "passed" }"#)
    } throws: { error in
      "\(error)".hasPrefix("a.json:3: 'subjects' does not list 'y'")
    }
  }
}
