import Interlock

extension World {
  /// The text that `--help` prints.
  ///
  /// - Parameters:
  ///   - name: The command to explain; `nil` for a summary of all commands and the options of
  ///     `run`.
  ///   - width: The terminal's columns.
  /// - Returns: The text, with a line break at its end.
  package func helpText(_ name: CommandName?, width: Int) -> String {
    // The terminal may be narrower than any layout.
    let width = max(width, 60)
    var sections = [
      "OVERVIEW: "
        + (name?.summary
          ?? "Replay concurrency scenarios, each trial in a process of its own, and judge them.")
    ]
    sections.append(
      "USAGE: \(command) \(name?.usage ?? "[<command>] [<options>] [<scenario> ...]")")
    if let argument = (name ?? .run).argument {
      sections.append(
        Self.section("ARGUMENTS", [("<\(argument.name)>", argument.help)], width: width))
    }
    if name == .bench, !benches.isEmpty {
      sections.append(
        Self.section("BENCHES", benches.map { ($0.name, $0.summary) }, width: width))
    }
    sections.append(
      Self.section(
        "OPTIONS",
        (name ?? .run).options.map { option in
          ((option.short.map { "-\($0), " } ?? "") + option.label, option.help)
        }, width: width))
    if name == nil {
      sections.append(
        Self.section(
          "SUBCOMMANDS",
          CommandName.allCases.filter { $0 != .bench || !benches.isEmpty }.map { command in
            (command.rawValue + (command == .run ? " (default)" : ""), command.summary)
          }, width: width) + "\n  See '\(command) help <command>' for more information.")
    }
    let codes = exitCodes(of: name ?? .run)
    if !codes.isEmpty { sections.append(Self.section("EXIT CODES", codes, width: width)) }
    return sections.joined(separator: "\n\n") + "\n"
  }

  private static let textColumn = 26

  private static func section(
    _ title: String, _ entries: [(label: String, text: String)], width: Int
  ) -> String {
    var lines = ["\(title):"]
    for (label, text) in entries {
      var line = "  \(label)"
      // A label that reaches into the text gets its own line.
      if line.count >= textColumn {
        lines.append(line)
        line = ""
      }
      line += String(repeating: " ", count: textColumn - line.count)
      var isEmpty = true
      for word in text.split(separator: " ") {
        if !isEmpty, line.count + 1 + word.count > width {
          lines.append(line)
          line = String(repeating: " ", count: textColumn)
          isEmpty = true
        }
        line += (isEmpty ? "" : " ") + word
        isEmpty = false
      }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }
}
