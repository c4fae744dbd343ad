import StressRunner

/// A mistake on the command line.
package struct UsageError: Error, Hashable {
  /// What was found and what was expected, without a full stop.
  package var message: String
  /// The intended command, as far as it was recognised.
  package var command: CommandName

  /// Describes a mistake.
  package init(_ message: String, _ command: CommandName) {
    self.message = message
    self.command = command
  }

  /// One line: the mistake, and how to get help.
  package func text(command name: String) -> String {
    let see = message.hasSuffix("?") ? " See" : "; see"
    return "error: \(message)\(see) '\(escaped(name)) help \(command.rawValue)'\n"
  }
}
