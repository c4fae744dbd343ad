import Findings
import StressRunner

/// A mistake on the command line.
package struct UsageError: Error, Hashable {
  /// What was found and what was expected, without a full stop.
  package var message: String
  /// The intended command, as far as it was recognised.
  package var command: CommandName
  /// Whether the message ends with a question, and its mark.
  private let isQuestion: Bool
  /// The exit code.
  package var code = ExitCode.usage

  /// Describes a mistake.
  package init(_ message: String, _ command: CommandName, isQuestion: Bool = false) {
    self.message = message
    self.command = command
    self.isQuestion = isQuestion
  }

  /// Describes an unknown name: the message up to the colon, and what is suggested instead.
  package init(_ message: String, _ suggestion: Suggestion, _ command: CommandName) {
    self.init("\(message): \(suggestion.text)", command, isQuestion: suggestion.isQuestion)
  }

  /// Describes a command line that is right and selects no trial.
  package static func nothingSelected(_ message: String, _ command: CommandName) -> UsageError {
    var error = UsageError(message, command)
    error.code = .nothingSelected
    return error
  }

  /// As `nothingSelected`, for an unknown name with what is suggested instead.
  package static func nothingSelected(
    _ message: String, _ suggestion: Suggestion, _ command: CommandName
  ) -> UsageError {
    var error = UsageError(message, suggestion, command)
    error.code = .nothingSelected
    return error
  }

  /// One line: the mistake, and how to get help.
  package func text(command name: String) -> String {
    let see = isQuestion ? " See" : "; see"
    return "error: \(message)\(see) '\(escaped(name)) help \(command.rawValue)'\n"
  }
}
