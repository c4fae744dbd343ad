import Interlock
import Reports

extension World {
  /// A script for fish: `interlock completions fish | source`.
  var fishCompletions: String {
    let name = Self.quoted(command)
    let names = CommandName.allCases.map(\.rawValue).joined(separator: " ")
    var lines = [
      "# Completions of \(escapedComment) for fish. Load them by",
      "#   \(escapedComment) completions fish | source",
      "set -l commands \(names)",
    ]
    for command in CommandName.allCases {
      lines.append(
        "complete -c \(name) -n __fish_is_first_token -a \(command.rawValue)"
          + " -d \(Self.quoted(command.summary))")
    }
    for command in CommandName.allCases {
      // Without a command it is 'run'.
      let seen = "__fish_seen_subcommand_from"
      let when =
        command == .run
        ? "\"not \(seen) $commands; or \(seen) run\"" : "\"\(seen) \(command.rawValue)\""
      let head = "complete -c \(name) -n \(when)"
      for option in command.options {
        var line = head + " -l \(option.name)"
        if let short = option.short { line += " -s \(short)" }
        if let words = Completion.words(of: option) { line += " " + Self.fish(words) }
        lines.append(line + " -d \(Self.quoted(option.meaning))")
      }
      switch Completion.words(of: command) {
      case .list(let list):
        lines.append("\(head) -f -a \(Self.quoted(list.joined(separator: " ")))")
      case .any: lines.append("\(head) -f")
      case .file, .folder: break
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func fish(_ words: Completion.Words) -> String {
    switch words {
    case .file: "-r -F"
    case .folder: "-x -a '(__fish_complete_directories)'"
    case .list(let list): "-x -a \(quoted(list.joined(separator: " ")))"
    case .any: "-x"
    }
  }

  /// A text within single quotation marks of fish.
  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
