import Findings

/// An error in a scenario file or folder: a one-line message for its author.
package struct ScenarioError: Error, Hashable, CustomStringConvertible {
  /// The file or folder, as the user named it.
  package var path: String
  /// The line in the file, from 1; `nil` if no line applies.
  package var line: Int?
  /// The text found and the text expected.
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

/// The errors of a folder: at least the first error of each file.
package struct ScenarioErrors: Error, Hashable {
  /// The errors, in the order of the files; at least one.
  package var errors: [ScenarioError]

  /// Collects faults.
  package init(errors: [ScenarioError]) {
    self.errors = errors
  }
}
