import Foundation
import StressRunner

extension World {
  /// The folder of scenarios, as shown in messages.
  ///
  /// A folder given by an option is used unchanged. The executable's own folder, if relative, is
  /// searched in the current folder and its parents, up to the first that contains a package:
  /// inside a package, that package's scenarios are meant.
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

  /// Reads and checks every scenario of the folder, including the names of subjects. Adds the
  /// built-in scenarios whose names the folder does not use.
  ///
  /// An executable with a cache needs no folder, and an executable with scenarios of its own reads
  /// none.
  func loadScenarios(_ options: Options) throws(ScenarioErrors) -> [ScenarioFile] {
    if options.scenarioFolder == nil, !ownScenarios.isEmpty {
      return ownScenarios.map(ScenarioFile.init(builtIn:))
    }
    let builtIn = try builtInScenarios()
    let folder = folder(options)
    if options.scenarioFolder == nil, !builtIn.isEmpty, !exists(folder) { return builtIn }
    let files = try checked(ScenarioFolder.load(folder))
    let names = Set(files.map(\.scenario.name))
    return files + builtIn.filter { !names.contains($0.scenario.name) }
  }

  /// Checks the names of subjects and calls in parsed scenarios.
  func checked(_ files: [ScenarioFile]) throws(ScenarioErrors) -> [ScenarioFile] {
    var errors: [ScenarioError] = []
    for file in files {
      do throws(ScenarioError) {
        try file.check(against: subjects)
      } catch {
        errors.append(error)
      }
    }
    guard errors.isEmpty else { throw ScenarioErrors(errors: errors) }
    return files
  }
}
