import Interlock
import Reports

extension World {
  /// A script for zsh: a file named `_interlock` in a folder of `fpath`.
  var zshCompletions: String {
    let commands = CommandName.allCases.map { command in
      "    \(Self.zsh("\(command.rawValue):\(command.summary)"))\n"
    }
    let cases = CommandName.allCases.map { command in
      let options = command.options.flatMap { option in
        let names = ["--" + option.name] + (option.short.map { ["-\($0)"] } ?? [])
        let value = Completion.words(of: option).map { Self.action(option.placeholder ?? "", $0) }
        let repeats = option.replay == .repeatsEach || option.meaning.contains("several times")
        return names.map { name in
          "      "
            + Self.zsh(
              (repeats ? "*" : "") + name + (value == nil || name.count == 2 ? "" : "=")
                + "[\(Self.plain(option.meaning))]" + (value ?? "")) + " \\\n"
        }
      }
      let argument = command.argument.map {
        "      "
          + Self.zsh("*" + Self.action($0.name, Completion.words(of: command))) + " \\\n"
      }
      return "  \(command.rawValue))\n    _arguments -s \\\n\(options.joined())\(argument ?? "")"
        + "      && return 0 ;;\n"
    }
    return """
      #compdef \(escapedComment)
      # Completions of \(escapedComment) for zsh. Save them as \(functionName) in a folder of fpath.
      \(functionName)() {
        local command=run
        local -a commands
        commands=(
      \(commands.joined())  )
        if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
          _describe command commands
          _files
          return
        fi
        # The command is the first word; without one it is 'run'.
        if (( ${commands[(I)$words[2]:*]} )); then
          command=$words[2]
          shift words
          (( CURRENT-- ))
        fi
        case $command in
      \(cases.joined())  esac
      }
      compdef \(functionName) \(shellWord(command))

      """
  }

  /// The end of a specification of `_arguments`: what the value is called, and its words.
  private static func action(_ name: String, _ words: Completion.Words) -> String {
    let action =
      switch words {
      case .file: "_files"
      case .folder: "_files -/"
      case .list(let list): "(\(list.joined(separator: " ")))"
      case .any: " "
      }
    return ":\(plain(name)):\(action)"
  }

  /// A text in a specification, where colons and brackets have a meaning.
  private static func plain(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
      .replacing("[", with: "\\[").replacing("]", with: "\\]")
  }

  private static func zsh(_ text: String) -> String { shellQuoted(text) }
}
