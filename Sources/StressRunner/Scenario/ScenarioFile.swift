import Findings

/// A parsed scenario, with the lines of the names that can only be checked later.
package struct ScenarioFile: Sendable, Hashable {
  /// The path as shown in messages.
  package var path: String
  /// The parsed scenario, for this platform.
  package var scenario: Scenario
  /// The line of the scenario's name.
  package var nameLine: Int
  /// True if the scenario comes with the product and not from a folder.
  package var isBuiltIn = false
  /// The line of each subject that the file lists.
  package var subjectLines: [String: Int]
  /// The line of each subject that the file has an expectation for.
  package var expectedSubjects: [String: Int]
  /// The line of each subject-specific call, by its name without `subject.`.
  package var actionLines: [String: Int]

  /// The keys of a scenario file, in the order of the documentation.
  static let keys = [
    "name", "summary", "source", "recipe", "subjects", "pool", "workload", "limits", "oracles",
    "expect", "explore",
  ]

  /// Parses and checks the text of a file.
  ///
  /// - Parameters:
  ///   - bytes: The whole text.
  ///   - path: The file's name in messages.
  ///   - platform: The platform whose expectations are used.
  /// - Throws: The first error.
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
    let explored = try ExploreExpectations(parsing: file["explore"])
    expectedSubjects = expectations.lines.merging(explored.lines) { first, _ in first }
    var subjectLines: [String: Int] = [:]
    let subjects = try Self.subjects(file["subjects"], lines: &subjectLines)
    let recipe = try file["recipe"].map { value throws(ScenarioError) in
      try Recipe(parsing: value, lines: &subjectLines)
    }
    self.subjectLines = subjectLines
    actionLines = Self.actions(in: file.owner.json)
    scenario = Scenario(
      name: try name.asName(),
      summary: try file.required("summary").asLine(limit: 200),
      source: try file["source"]?.asLine(limit: 1000),
      workload: try Workload(parsing: file.required("workload"), limits: limits),
      limits: limits,
      oracles: try Self.oracles(file["oracles"]),
      expectations: expectations.values, subjects: subjects, recipe: recipe)
    scenario.poolWidth = try Self.poolWidth(file["pool"])
    scenario.exploreExpectations = explored.values
    scenario.isExploredOnly = file["explore"] != nil && file["expect"] == nil
    try checkExpectationsAreListed(lines: expectations.lines)
    try checkExpectationsAreListed(lines: explored.lines)
  }

  /// Creates the file of a scenario that is part of the executable.
  package init(builtIn scenario: Scenario) {
    path = "built-in \(scenario.name)"
    self.scenario = scenario
    nameLine = 0
    isBuiltIn = true
    subjectLines = [:]
    expectedSubjects = [:]
    actionLines = [:]
  }

  /// Refuses an expectation for an unlisted subject: it could never be met.
  private func checkExpectationsAreListed(lines: [String: Int]) throws(ScenarioError) {
    guard let subjects = scenario.subjects else { return }
    for (name, line) in lines.sorted(by: { $0.value < $1.value }) where !subjects.contains(name) {
      throw ScenarioError(
        path: path, line: line,
        message: "'subjects' does not list '\(printable(name))': "
          + suggestion(for: name, among: subjects))
    }
  }

  /// Expectations for subjects that the executable lacks and whose names are probably mistyped:
  /// they differ in a letter or two from an existing subject without an expectation.
  ///
  /// - Parameters:
  ///   - names: The executable's subjects.
  ///   - known: Subjects of other executables.
  /// - Returns: A warning for each such subject.
  package func mistypedSubjects(among names: [String], besides known: Set<String>) -> [String:
    String]
  {
    let candidates = names.filter { expectedSubjects[$0] == nil }
    var warnings: [String: String] = [:]
    for (name, line) in expectedSubjects where name.count > 3 && !known.contains(name) {
      guard !names.contains(name),
        let near = nearest(to: name, among: candidates, most: name.count < 8 ? 1 : 2)
      else { continue }
      warnings[name] =
        "\(path):\(line): there is no subject '\(printable(name))': did you mean '\(near)'?"
    }
    return warnings
  }

  /// Checks that every listed subject exists, and that its subjects support all calls of the
  /// scenario.
  ///
  /// An expectation may name a subject that this executable lacks, because several executables
  /// share a file.
  ///
  /// - Parameter subjects: The executable's subjects.
  /// - Throws: The first unknown name.
  package func check(against subjects: [SubjectEntry]) throws(ScenarioError) {
    let names = subjects.map(\.name)
    if let (name, line) = Self.first(of: subjectLines, outside: names) {
      throw ScenarioError(
        path: path, line: line,
        message: "there is no subject '\(printable(name))': \(suggestion(for: name, among: names))")
    }
    let actions = subjects.flatMap(\.actions)
    if let (name, line) = Self.first(of: actionLines, outside: actions) {
      throw ScenarioError(
        path: path, line: line,
        message: "no subject has the call '\(printable(name))': "
          + suggestion(for: name, among: Array(Set(actions)).sorted()))
    }
  }

  private static func first(
    of lines: [String: Int], outside names: [String]
  ) -> (name: String, line: Int)? {
    let unknown = lines.filter { !names.contains($0.key) }
    return unknown.min { ($0.value, $0.key) < ($1.value, $1.key) }
      .map { (name: $0.key, line: $0.value) }
  }

  private static func poolWidth(_ value: ScenarioValue?) throws(ScenarioError) -> Int? {
    guard let value else { return nil }
    return try value.asObject(keys: ["width"]).required("width").asWhole(Limits.poolWidthRange)
  }

  private static func subjects(
    _ value: ScenarioValue?, lines: inout [String: Int]
  ) throws(ScenarioError) -> [String]? {
    guard let value else { return nil }
    var names: [String] = []
    for element in try value.asList(count: 1...100, of: "subjects") {
      let name = try element.asName()
      if names.contains(name) { throw element.error("'subjects' names '\(name)' twice") }
      names.append(name)
      lines[name] = element.json.line
    }
    return names
  }

  /// Every `subject.NAME` in a value, at any depth. Only calls have names of this form.
  private static func actions(in json: JSONValue) -> [String: Int] {
    var lines: [String: Int] = [:]
    func note(_ text: String, _ line: Int) {
      if case .action(let name)? = Operation.Kind(rawValue: text) {
        lines[name] = min(line, lines[name] ?? line)
      }
    }
    switch json.content {
    case .string(let text):
      note(text, json.line)
    case .array(let values):
      for value in values { lines.merge(actions(in: value)) { min($0, $1) } }
    case .object(let members):
      for member in members {
        note(member.key, member.line)
        lines.merge(actions(in: member.value)) { min($0, $1) }
      }
    case .null, .bool, .number:
      break
    }
    return lines
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
