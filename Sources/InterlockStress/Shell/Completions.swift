import Findings
import Foundation
import Interlock

/// What can stand in a place of the command line, for completions.
struct Completion {
  /// What a word can be.
  enum Words: Hashable {
    case file
    case folder
    /// One of these.
    case list([String])
    /// Nothing is known of it.
    case any
  }

  /// The words that an option takes; `nil` for an option without a value.
  static func words(of option: Option<Options>) -> Words? {
    guard let placeholder = option.placeholder else { return nil }
    if let choices = option.choices { return .list(choices.components(separatedBy: ", ")) }
    return switch placeholder {
    case "file": .file
    case "folder": .folder
    default: .any
    }
  }

  /// The words that can be a command's argument.
  static func words(of command: CommandName) -> Words {
    switch command {
    case .explain: .list(Rule.all.map(\.id))
    case .help: .list(CommandName.allCases.map(\.rawValue))
    case .completions: .list(Shell.allCases.map(\.rawValue))
    case .run, .deadlocks, .gate, .explore, .pool, .compare, .merge: .file
    case .trend: .folder
    case .list, .recipes, .bench, .doctor, .initialize, .manual: .any
    }
  }
}

extension World {
  /// The script that completes command lines in a shell, made of the table of options.
  func completions(_ shell: Shell) -> String {
    switch shell {
    case .bash: bashCompletions
    case .zsh: zshCompletions
    case .fish: fishCompletions
    }
  }

  /// A function of the shells' scripts: not every executable's name is a name there.
  var functionName: String {
    "_" + String(command.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }
}

/// A text within single quotation marks of bash and zsh.
func shellQuoted(_ text: String) -> String {
  "'" + text.replacing("'", with: "'\\''") + "'"
}
