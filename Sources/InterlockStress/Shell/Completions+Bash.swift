import Interlock
import Reports

extension World {
  /// A script for bash: `source <(interlock completions bash)`.
  var bashCompletions: String {
    let name = functionName
    let commands = CommandName.allCases.map(\.rawValue).joined(separator: " ")
    let cases = CommandName.allCases.map { command in
      var lines: [String] = []
      for option in command.options {
        guard let words = Completion.words(of: option) else { continue }
        let names = (["--" + option.name] + (option.short.map { ["-\($0)"] } ?? []))
        lines.append("        \(names.joined(separator: "|"))) \(Self.bash(words)); return ;;\n")
      }
      let options = command.options.map { "--" + $0.name }.joined(separator: " ")
      return """
            \(command.rawValue))
              case $before in
        \(lines.joined())      esac
              case $word in
                -*) COMPREPLY=($(compgen -W '\(options)' -- "$word")) ;;
                *) \(Self.bash(Completion.words(of: command))) ;;
              esac
              ;;

        """
    }
    return """
      # Completions of \(escapedComment) for bash 3.2 and later. Load them by
      #   source <(\(escapedComment) completions bash)
      \(name)() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=run index
        COMPREPLY=()
        # The command is the first word; without one it is 'run'.
        case " \(commands) " in
          *" ${COMP_WORDS[1]} "*) [ "$COMP_CWORD" -gt 1 ] && command=${COMP_WORDS[1]} ;;
        esac
        # bash splits --option=value at the sign.
        if [ "$before" = = ]; then
          before=${COMP_WORDS[COMP_CWORD-2]}
        elif [ "$word" = = ]; then
          before=${COMP_WORDS[COMP_CWORD-1]} word=
        fi
        if [ "$COMP_CWORD" -eq 1 ] && [[ $word != -* ]]; then
          COMPREPLY=($(compgen -W '\(commands)' -- "$word"))
          local IFS=$'\\n'
          COMPREPLY+=($(compgen -f -- "$word"))
          return
        fi
        case $command in
      \(cases.joined())  esac
      }
      complete -o filenames -F \(name) \(shellWord(command))

      """
  }

  private static func bash(_ words: Completion.Words) -> String {
    switch words {
    // A name may have spaces.
    case .file: "local IFS=$'\\n'; COMPREPLY=($(compgen -f -- \"$word\"))"
    case .folder: "local IFS=$'\\n'; COMPREPLY=($(compgen -d -- \"$word\"))"
    case .list(let list):
      "COMPREPLY=($(compgen -W '\(list.joined(separator: " "))' -- \"$word\"))"
    case .any: "COMPREPLY=()"
    }
  }

  /// The executable's name in a comment, which a line break would end.
  var escapedComment: String { command.replacing("\n", with: "?") }
}
