import Findings
import StressRunner

/// An error on the command line.
package struct UsageError: Error, Hashable {
  /// The text found and the text expected, without a full stop.
  package var message: String
  /// The intended command, as far as it was recognised.
  package var command: CommandName
  /// True if the message ends with a question and its mark.
  private let isQuestion: Bool
  /// The exit code.
  package var code = ExitCode.usage

  /// Describes an error.
  package init(_ message: String, _ command: CommandName, isQuestion: Bool = false) {
    self.message = message
    self.command = command
    self.isQuestion = isQuestion
  }

  /// Describes an unknown name: the message up to the colon, and a suggestion.
  package init(_ message: String, _ suggestion: Suggestion, _ command: CommandName) {
    self.init("\(message): \(suggestion.text)", command, isQuestion: suggestion.isQuestion)
  }

  /// Describes a valid command line that selects no trial.
  package static func nothingSelected(_ message: String, _ command: CommandName) -> UsageError {
    var error = UsageError(message, command)
    error.code = .nothingSelected
    return error
  }

  /// Like `nothingSelected`, for an unknown name with a suggestion.
  package static func nothingSelected(
    _ message: String, _ suggestion: Suggestion, _ command: CommandName
  ) -> UsageError {
    var error = UsageError(message, suggestion, command)
    error.code = .nothingSelected
    return error
  }

  /// One line with the error, and how to get help.
  package func text(command name: String) -> String {
    let see = isQuestion ? " See" : "; see"
    return "error: \(message)\(see) '\(escaped(name)) help \(command.rawValue)'\n"
  }
}
