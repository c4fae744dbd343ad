import Foundation
import Prediction
import Testing

@testable import StressRunner

@Suite("Expected predictions")
struct PotentialExpectationTests {
  private func expectation(_ potential: String) throws -> StressRunner.Expectation {
    let text = """
      { "name": "a", "summary": "b", "source": "c",
        "workload": { "driver": "threads", "phases": [{ "callers": 1, "operations": ["get"] }] },
        "expect": { "x": { "verdict": "passed"\(potential) } } }
      """
    return try ScenarioFile(parsing: Array(text.utf8), path: "a.json").scenario
      .expectation(for: "x")
  }

  private func record(_ kinds: PotentialFinding.Kind...) -> PredictionRecord {
    PredictionRecord(
      state: .on, findings: kinds.map { PotentialFinding(kind: $0, headline: "", sides: []) })
  }

  @Test("Without the key any prediction is expected, and with it the listed ones or none")
  func parsing() throws {
    #expect(try expectation("").potential == nil)
    #expect(try expectation(#", "potential": []"#).potential == [])
    for kind in PotentialFinding.Kind.allCases {
      #expect(try expectation(#", "potential": ["\#(kind.rawValue)"]"#).potential == [kind])
    }
  }

  @Test("Expected predictions are encoded in one order, whatever the order of the set")
  func encoded() throws {
    let kinds = PotentialFinding.Kind.allCases.map { "\"\($0.rawValue)\"" }
    let expected = try expectation(#", "potential": [\#(kinds.joined(separator: ", "))]"#)
    let text = String(decoding: try JSONEncoder().encode(expected), as: UTF8.self)
    #expect(text.contains("[\(kinds.sorted().joined(separator: ","))]"))
    let decoded = try JSONDecoder().decode(StressRunner.Expectation.self, from: Data(text.utf8))
    #expect(decoded == expected)
  }

  @Test(
    "A fault in the expected predictions is one line",
    arguments: [
      (#"["deadlock"]"#, "'potential' cannot be 'deadlock'"),
      (#"["race", "race"]"#, "'potential' names 'race' twice"),
      (#""race""#, "'potential' must be a list of kinds of potential findings"),
      ("[1]", "'potential' must be one of: lock-order"),
    ])
  func mistakes(value: String, message: String) {
    #expect {
      _ = try expectation(#", "potential": "# + value)
    } throws: { error in
      "\(error)".hasPrefix("a.json:3: " + message)
    }
  }

  @Test("Expected predictions are met by exactly these kinds, found any number of times")
  func judging() {
    let open = StressRunner.Expectation(verdict: .passed)
    let nothing = StressRunner.Expectation(verdict: .passed, potential: [])
    let order = StressRunner.Expectation(verdict: .passed, potential: [.lockOrder])
    #expect(open.isMet(by: record()) && open.isMet(by: record(.race)))
    #expect(nothing.isMet(by: record()) && !nothing.isMet(by: record(.race)))
    #expect(order.isMet(by: record(.lockOrder, .lockOrder)))
    #expect(!order.isMet(by: record()))
    #expect(!order.isMet(by: record(.race)))
    #expect(!order.isMet(by: record(.lockOrder, .race)))
  }

  @Test("Expected predictions are not judged without prediction")
  func blind() {
    let order = StressRunner.Expectation(verdict: .passed, potential: [.lockOrder])
    #expect(order.isMet(by: PredictionRecord(state: .off)))
    #expect(order.isMet(by: PredictionRecord(state: .unavailable(reason: "a reason"))))
  }
}
