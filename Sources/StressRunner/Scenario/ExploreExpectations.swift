import Findings
import Hangs

/// The `explore` object of a scenario file.
struct ExploreExpectations {
  /// The expectation by subject.
  var values: [String: Expectation] = [:]
  /// The line of each subject's key.
  var lines: [String: Int] = [:]

  /// Parses `explore`; without it, an exploration is expected to show the verdicts of `expect`.
  init(parsing value: ScenarioValue?) throws(ScenarioError) {
    guard let value else { return }
    let members = try value.asMembers()
    if members.isEmpty { throw value.error("'explore' must name at least one subject") }
    for member in members {
      let expected = ScenarioValue(
        json: member.value, name: printable(member.key), path: value.path)
      values[member.key] = try Self.expectation(expected)
      lines[member.key] = member.line
    }
  }

  static func expectation(
    _ value: ScenarioValue, keys: [String] = ["verdict", "cause", "finished"]
  ) throws(ScenarioError) -> Expectation {
    switch value.json.content {
    case .string:
      return Expectation(verdict: try Expectations.verdict(value))
    case .object:
      let object = try value.asObject(keys: keys)
      let verdict = try Expectations.verdict(object.required("verdict"))
      var expectation = Expectation(verdict: verdict)
      if let cause = object["cause"] {
        expectation.cause = try Expectations.cause(cause, of: verdict)
      }
      if let finished = object["finished"] {
        expectation.isFinished = try finished.asBool()
        guard verdict == .passed || !expectation.isFinished else {
          throw finished.error(
            "only an exploration that 'passed' can be 'finished': it ends at the first order that"
              + " fails; found it beside '\(verdict.rawValue)'")
        }
      }
      return expectation
    default:
      throw value.error(
        "the expectation of '\(value.name)' must be a verdict, or an object with 'verdict',"
          + " found \(value.json.found)")
    }
  }
}
