import Findings
import Prediction
import Hangs

/// The `expect` object of a scenario file, for one platform.
struct Expectations {
  /// The expectation by subject.
  var values: [String: Expectation] = [:]
  /// The line of each subject's key.
  var lines: [String: Int] = [:]

  /// Parses `expect`; without it, every subject is expected to pass.
  init(parsing value: ScenarioValue?, platform: PlatformName) throws(ScenarioError) {
    guard let value else { return }
    for member in try value.asMembers() {
      let expected = ScenarioValue(
        json: member.value, name: printable(member.key), path: value.path)
      values[member.key] = try Self.resolve(expected, platform: platform)
      lines[member.key] = member.line
    }
  }

  /// Selects the platform's expectation. Those of other platforms are checked too.
  private static func resolve(
    _ value: ScenarioValue, platform: PlatformName
  ) throws(ScenarioError) -> Expectation {
    guard case .object(let members) = value.json.content,
      members.contains(where: { PlatformName(rawValue: $0.key) != nil })
    else {
      return try expectation(value)
    }
    let object = try value.asObject(keys: PlatformName.allCases.map(\.rawValue))
    var expectations: [PlatformName: Expectation] = [:]
    for name in PlatformName.allCases {
      expectations[name] = try expectation(object.required(name.rawValue))
    }
    return expectations[platform] ?? Expectation(verdict: .passed)
  }

  /// The expected outcome of a script's order.
  private enum Order: String, CaseIterable {
    /// The roles reach their points in that order.
    case kept
    /// The subject makes the order impossible.
    case excluded
  }

  private static func expectation(_ value: ScenarioValue) throws(ScenarioError) -> Expectation {
    switch value.json.content {
    case .string:
      return Expectation(verdict: try verdict(value))
    case .object:
      let object = try value.asObject(keys: ["verdict", "cause", "order", "potential", "explored"])
      var expectation = try withoutPotential(object)
      expectation.explored = try object["explored"].map { value throws(ScenarioError) in
        try explored(value, besides: expectation.verdict)
      }
      expectation.potential = try object["potential"].map(potential)
      return expectation
    default:
      throw value.error(
        "the expectation of '\(value.name)' must be a verdict, or an object with 'verdict',"
          + " found \(value.json.found)")
    }
  }

  /// The failure that an exploration may show instead of the failure of a run.
  private static func explored(
    _ value: ScenarioValue, besides expected: Verdict.Kind
  ) throws(ScenarioError) -> Expectation.Explored {
    let own = try ExploreExpectations.expectation(value, keys: ["verdict", "cause"])
    guard expected != .passed, own.verdict != .passed else {
      throw value.error(
        "'explored' is another way to fail, of a subject that fails: found"
          + " '\(own.verdict.rawValue)' beside '\(expected.rawValue)'")
    }
    return Expectation.Explored(verdict: own.verdict, cause: own.cause)
  }

  /// The expected predicted findings. An empty list expects none.
  private static func potential(
    _ value: ScenarioValue
  ) throws(ScenarioError) -> Set<PotentialFinding.Kind> {
    var kinds: Set<PotentialFinding.Kind> = []
    let all = PotentialFinding.Kind.allCases.count
    for element in try value.asList(count: 0...all, of: "kinds of potential findings") {
      let kind = try element.asCase(of: PotentialFinding.Kind.self)
      guard kinds.insert(kind).inserted else {
        throw element.error("'potential' names '\(kind.rawValue)' twice")
      }
    }
    return kinds
  }

  private static func withoutPotential(
    _ object: ScenarioObject
  ) throws(ScenarioError) -> Expectation {
    let verdict = try verdict(object.required("verdict"))
    if let order = object["order"], try order.asCase(of: Order.self) == .excluded {
      guard verdict == .passed, object["cause"] == nil else {
        throw order.error(
          "only what has 'passed' can have excluded the order, found '\(verdict.rawValue)'")
      }
      return Expectation(verdict: verdict, excludesOrder: true)
    }
    guard let cause = object["cause"] else { return Expectation(verdict: verdict) }
    return Expectation(verdict: verdict, cause: try self.cause(cause, of: verdict))
  }

  /// The expected cause. A thread that waits for itself may trap instead, which is a crash with
  /// that cause. Other crashes have no cause.
  static func cause(
    _ value: ScenarioValue, of verdict: Verdict.Kind
  ) throws(ScenarioError) -> Diagnosis.Cause {
    guard verdict == .deadlock || verdict == .crashed else {
      throw value.error(
        "only a deadlock or a crash has a 'cause', found it beside '\(verdict.rawValue)'")
    }
    let cause = try value.asCase(of: Diagnosis.Cause.self)
    guard verdict == .deadlock || cause == .self else {
      throw value.error(
        "the 'cause' of a crash can only be 'self', found '\(cause.rawValue)'")
    }
    return cause
  }

  /// The expected verdict. A skipped or undecided trial shows nothing, so neither can be expected.
  static func verdict(_ value: ScenarioValue) throws(ScenarioError) -> Verdict.Kind {
    try value.asCase(of: Verdict.Kind.self, except: [.skipped, .undecided])
  }
}
