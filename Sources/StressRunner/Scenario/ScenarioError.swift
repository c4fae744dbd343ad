import Findings

/// What is wrong with a scenario file or folder: a one-line message for its author.
package struct ScenarioError: Error, Hashable, CustomStringConvertible {
  /// The file, or the folder, as the user named it.
  package var path: String
  /// The line in the file, from 1; `nil` if no line applies.
  package var line: Int?
  /// What was found and what was expected.
  package var message: String

  /// Describes a fault.
  package init(path: String, line: Int? = nil, message: String) {
    self.path = path
    self.line = line
    self.message = message
  }

  /// `StressScenarios/reads.json:12: 'callers' must be a whole number from 1 to 1000000, found -3`.
  package var description: String {
    escaped(path) + (line.map { ":\($0)" } ?? "") + ": " + message
  }
}

/// All faults of a folder: at least the first fault of each file.
package struct ScenarioErrors: Error, Hashable {
  /// The faults, in the order of the files; at least one.
  package var errors: [ScenarioError]

  /// Collects faults.
  package init(errors: [ScenarioError]) {
    self.errors = errors
  }
}
