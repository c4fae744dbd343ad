import Foundation
import StressRunner

extension World {
  /// The folder that scenarios are read from, as messages name it.
  ///
  /// One that an option names is taken as it is. The executable's own, if relative, is looked for in the
  /// current folder and then above it, up to the first that holds a package: whoever stands somewhere in a
  /// package means that package's scenarios.
  func folder(_ options: Options) -> String {
    if let folder = options.scenarioFolder { return folder }
    guard !scenarioFolder.hasPrefix("/") else { return scenarioFolder }
    var parent = currentFolder
    while true {
      let candidate = (parent == "/" ? "" : parent) + "/" + scenarioFolder
      if FileManager.default.fileExists(atPath: candidate) {
        return parent == currentFolder ? scenarioFolder : candidate
      }
      let isPackage = FileManager.default.fileExists(atPath: parent + "/Package.swift")
      let above = (parent as NSString).deletingLastPathComponent
      if isPackage || above == parent || above.isEmpty { return scenarioFolder }
      parent = above
    }
  }

  /// Reads and checks every scenario of the folder, the names of subjects too.
  func loadScenarios(_ options: Options) throws(ScenarioErrors) -> [ScenarioFile] {
    let files = try ScenarioFolder.load(folder(options))
    let names = subjects.map(\.name)
    var errors: [ScenarioError] = []
    for file in files {
      do throws(ScenarioError) {
        try file.checkSubjects(among: names)
      } catch {
        errors.append(error)
      }
    }
    guard errors.isEmpty else { throw ScenarioErrors(errors: errors) }
    return files
  }

  /// What `list` prints.
  func listText(_ options: Options) throws(ScenarioErrors) -> String {
    let files = try loadScenarios(options)
    func section(_ title: String, _ entries: [(name: String, summary: String)]) -> String {
      let width = entries.map(\.name.count).max() ?? 0
      let lines = entries.map { entry in
        "  " + entry.name + String(repeating: " ", count: width - entry.name.count + 2)
          + entry.summary
      }
      return ([title + ":"] + lines).joined(separator: "\n") + "\n"
    }
    var sections = [
      section("SUBJECTS", subjects.map { ($0.name, $0.summary) }),
      section(
        "SCENARIOS (\(escaped(folder(options))))",
        files.map { ($0.scenario.name, $0.scenario.summary) }),
    ]
    if !benches.isEmpty {
      sections.append(section("BENCHES", benches.map { ($0.name, $0.summary) }))
    }
    return sections.joined(separator: "\n")
  }
}
