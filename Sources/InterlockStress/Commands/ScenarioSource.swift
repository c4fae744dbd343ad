import Foundation
import StressRunner

extension World {
  /// The folder that scenarios are read from, as messages name it.
  ///
  /// One that an option names is taken as it is. The executable's own, if relative, is looked for
  /// in the current folder and then above it, up to the first that holds a package: whoever stands
  /// somewhere in a package means that package's scenarios.
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
    try checked(ScenarioFolder.load(folder(options)))
  }

  /// Checks the names of subjects, and of their calls, in scenarios that have been read.
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
