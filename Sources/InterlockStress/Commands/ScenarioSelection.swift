import Foundation
import Findings
import StressRunner

/// The distinct scenarios that a command's arguments select.
struct ScenarioSelection {
  /// Scenarios selected by name in the folder's order, then those of each path.
  var files: [ScenarioFile] = []
  /// The path of each scenario that was selected by path, by scenario name.
  var paths: [String: String] = [:]
  /// True if these are all scenarios of the folder.
  var isWhole = false

  /// The scenarios that a run replays: all except those that are only explored.
  ///
  /// - Parameter arguments: The arguments that selected the scenarios.
  /// - Returns: The scenarios; at least one.
  /// - Throws: An error for an argument that names a scenario that is only explored.
  func run(asked arguments: [String]) throws(UsageError) -> [Scenario] {
    for file in files where file.scenario.isExploredOnly {
      let name = file.scenario.name
      guard !arguments.contains(name), !arguments.contains(file.path) else {
        throw UsageError(
          "The scenario '\(name)' has expectations of 'explore' alone: use 'explore \(name)'", .run)
      }
    }
    let run = files.map(\.scenario).filter { !$0.isExploredOnly }
    if run.isEmpty {
      throw .nothingSelected("All of these scenarios have expectations of 'explore' alone", .run)
    }
    return run
  }

  /// The absolute path of each scenario's file, by scenario name.
  func scenarioFiles(from folder: String) -> [String: String] {
    Dictionary(
      files.filter { !$0.isBuiltIn }.map { file in
        (file.scenario.name, file.path.hasPrefix("/") ? file.path : "\(folder)/\(file.path)")
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The subjects, sorted, that have expectations in files and that this executable lacks.
  func absentSubjects(of subjects: [SubjectEntry]) -> [String] {
    files.filter { !$0.isBuiltIn }.reduce(into: Set()) { $0.formUnion($1.expectedSubjects.keys) }
      .subtracting(subjects.map(\.name)).sorted()
  }

  /// The scenarios to explore: those that were requested, or otherwise all that state the expected
  /// result of an exploration.
  ///
  /// - Parameter arguments: The arguments that selected the scenarios.
  /// - Returns: The scenarios; at least one.
  /// - Throws: An error if no scenario of the folder states such a result.
  func explored(asked arguments: [String]) throws(UsageError) -> [Scenario] {
    let scenarios = files.map(\.scenario)
    guard arguments.isEmpty else { return scenarios }
    let expected = scenarios.filter { !$0.exploreExpectations.isEmpty }
    if expected.isEmpty {
      throw .nothingSelected(
        "No scenario has expectations of 'explore': name the ones to explore", .explore)
    }
    return expected
  }
}

extension World {
  /// Selects scenarios by name from the folder of scenarios, and by path.
  ///
  /// An argument with a slash or the extension `.json` is a path, since no name has either. A word
  /// that is no scenario's name but a file in the current folder is a path too. If all arguments
  /// are paths, the folder of scenarios is not read.
  ///
  /// - Parameters:
  ///   - arguments: Names and paths; empty for the whole folder.
  ///   - firstArgument: The first word of the command line, which may also be a mistyped command.
  ///   - options: The options that locate the folder of scenarios.
  /// - Returns: The scenarios, checked against the subjects.
  /// - Throws: `UsageError` for an unknown name, with the nearest known one; `ScenarioErrors` for
  ///   errors in files, and for two files with the same name.
  func select(
    _ arguments: [String], firstArgument: String?, _ options: Options
  ) throws -> ScenarioSelection {
    var selection = ScenarioSelection()
    let arguments = arguments.map { Self.otherNames[$0.lowercased()] ?? $0 }
    let words = arguments.filter { !isPath($0) }
    var known: [ScenarioFile] = []
    if arguments.isEmpty || !words.isEmpty && exists(folder(options))
      || words.contains(where: { !exists($0) })
    {
      known = try loadScenarios(options)
    }
    let names = known.map(\.scenario.name)
    for word in words where !names.contains(word) && !exists(word) {
      throw unknownScenario(word, among: names, isFirst: word == firstArgument)
    }
    let hasOwn = known.contains { !$0.isBuiltIn }
    selection.files = known.filter {
      arguments.isEmpty ? !$0.isBuiltIn || !hasOwn : words.contains($0.scenario.name)
    }
    selection.isWhole = arguments.isEmpty
    if arguments.isEmpty, let first = mainJob?.first, options.scenarioFolder == nil {
      selection.files =
        selection.files.filter { $0.scenario.name == first }
        + selection.files.filter { $0.scenario.name != first }
    }
    var places = Set(selection.files.map { place($0.path) })
    for path in arguments where !names.contains(path) {
      for file in try checked(ScenarioFolder.load(fileOrFolder: path))
      where places.insert(place(file.path)).inserted {
        selection.files.append(file)
        selection.paths[file.scenario.name] = file.path
      }
    }
    let errors = ScenarioFolder.duplicates(in: selection.files)
    guard errors.isEmpty else { throw ScenarioErrors(errors: errors) }
    return selection
  }

  /// Other well-known names of scenarios: PINCache's test is `testDeadlocks`.
  private static let otherNames = [
    "testdeadlocks": "concurrent-reads", "test-deadlocks": "concurrent-reads",
    "1000-concurrent-reads": "concurrent-reads",
    "1000-reads": "concurrent-reads", "thousand-reads": "concurrent-reads",
  ]

  private func isPath(_ argument: String) -> Bool {
    argument.contains("/") || argument.hasSuffix(".json") || [".", ".."].contains(argument)
  }

  func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: absolute(path))
  }

  private func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(currentFolder)/\(path)"
  }

  /// A key that is equal for all paths to the same file.
  private func place(_ path: String) -> String {
    URL(fileURLWithPath: absolute(path)).resolvingSymlinksInPath().path
  }

  private func unknownScenario(_ name: String, among names: [String], isFirst: Bool) -> UsageError {
    if let command = CommandName(rawValue: name) {
      return UsageError(
        "There is no scenario '\(name)'; the command '\(command.rawValue)' must stand first", .run)
    }
    let commands = CommandName.allCases.map(\.rawValue)
    if isFirst, let near = nearest(to: name, among: names + commands), !names.contains(near) {
      return UsageError(
        "There is no command or scenario '\(printable(name))'."
          + " Did you mean the command '\(near)'?", .run, isQuestion: true)
    }
    return UsageError(
      "There is no scenario '\(printable(name))'",
      Suggestion(for: name, among: names, shownBy: "interlock list"), .run)
  }
}
