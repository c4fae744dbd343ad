/// A parsed scenario, and where in its file the names stand that can only be checked later.
package struct ScenarioFile: Sendable, Hashable {
  /// The path as messages show it.
  package var path: String
  /// What the file says, on this platform.
  package var scenario: Scenario
  /// The line of the scenario's name.
  package var nameLine: Int
  /// The line of each subject that an expectation is given for.
  package var expectationLines: [String: Int]

  /// The keys of a scenario file, in the order that they are documented in.
  static let keys = ["name", "summary", "source", "workload", "limits", "oracles", "expect"]

  /// Parses and checks the text of a file.
  ///
  /// - Parameters:
  ///   - bytes: The whole text.
  ///   - path: What messages call the file.
  ///   - platform: The platform whose expectations are taken.
  /// - Throws: The first fault.
  package init(
    parsing bytes: [UInt8], path: String, platform: PlatformName = .current
  ) throws(ScenarioError) {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONReader.read(bytes)
    } catch {
      throw ScenarioError(path: path, line: error.line, message: error.message)
    }
    let file = try ScenarioValue(json: json, name: "a scenario", path: path, isKey: false)
      .asObject(keys: Self.keys)
    let name = try file.required("name")
    let limits = try Limits(parsing: file["limits"])
    let expectations = try Expectations(parsing: file["expect"], platform: platform)
    self.path = path
    nameLine = name.json.line
    expectationLines = expectations.lines
    scenario = Scenario(
      name: try name.asName(),
      summary: try file.required("summary").asLine(limit: 200),
      source: try file.required("source").asLine(limit: 1000),
      workload: try Workload(parsing: file.required("workload"), limits: limits),
      limits: limits,
      oracles: try Self.oracles(file["oracles"]),
      expectations: expectations.values)
  }

  /// Checks that every subject that an expectation is given for is there to be tried.
  ///
  /// - Parameter subjects: The names of the executable's subjects.
  /// - Throws: The first name that is none of them.
  package func checkSubjects(among subjects: [String]) throws(ScenarioError) {
    let unknown = expectationLines.filter { !subjects.contains($0.key) }
    guard let first = unknown.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return }
    throw ScenarioError(
      path: path, line: first.value,
      message: "there is no subject '\(printable(first.key))': "
        + suggestion(for: first.key, among: subjects))
  }

  private static func oracles(_ value: ScenarioValue?) throws(ScenarioError) -> [Oracle] {
    guard let value else { return [.completesOnce] }
    var oracles: [Oracle] = []
    for element in try value.asList(count: 0...Oracle.allCases.count, of: "oracles") {
      let oracle = try element.asCase(of: Oracle.self)
      if oracles.contains(oracle) {
        throw element.error("'oracles' names '\(oracle.rawValue)' twice")
      }
      oracles.append(oracle)
    }
    return oracles
  }
}
