import Foundation
import Interlock

extension World {
  /// The manual page, made of the table of options: `interlock man | man -l -`.
  var manualPage: String {
    let name = Self.plain(command)
    var text = """
      .TH \(Self.quoted(command.uppercased())) 1 "" \(Self.quoted("Interlock \(Self.version)"))
      .SH NAME
      \(name) \\- replay and explore concurrency scenarios, and judge them
      .SH SYNOPSIS

      """
    for (index, command) in CommandName.allCases.enumerated() {
      text += (index == 0 ? "" : ".br\n") + "\\fB\(name)\\fR \(Self.plain(command.usage))\n"
    }
    text += """
      .SH DESCRIPTION
      Replays concurrency scenarios, each trial in a process of its own, and compares the verdicts
      with the expected ones.
      Without a command, \\fBrun\\fR is meant.

      """
    for command in CommandName.allCases {
      text += ".SH \(Self.quoted("COMMAND " + command.rawValue.uppercased()))\n"
      text += Self.line(command.summary)
      text += ".PP\n\\fB\(name)\\fR \(Self.plain(command.usage))\n"
      if let argument = command.argument {
        text += ".TP\n\\fI\(Self.plain(argument.name))\\fR\n" + Self.line(argument.help)
      }
      for option in command.options {
        let short = option.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
        let value = option.placeholder.map { " \\fI\(Self.plain($0))\\fR" } ?? ""
        text += ".TP\n\(short)\\fB\(Self.plain("--" + option.name))\\fR\(value)\n"
        text += Self.line(option.help)
      }
    }
    text += ".SH \"EXIT STATUS\"\n"
    for (code, meaning) in exitCodes(of: .run) {
      text += ".TP\n\\fB\(code)\\fR\n" + Self.line(meaning)
    }
    return text
  }

  /// A text as a line of roff: no character of it is a request or an escape.
  private static func line(_ text: String) -> String {
    let plain = plain(text)
    // A full stop or an apostrophe at the beginning of a line would begin a request.
    return (plain.first == "." || plain.first == "'" ? "\\&" : "") + plain + "\n"
  }

  private static func plain(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "\n", "\r", "\r\n": result += " "
      default:
        for scalar in String(character).unicodeScalars {
          result +=
            scalar.isASCII
            ? String(scalar) : "\\[u\(String(format: "%04X", Int(scalar.value)))]"
        }
      }
    }
    return result
  }

  /// An argument of a request.
  private static func quoted(_ text: String) -> String {
    "\"\(plain(text).replacing("\"", with: "\\(dq"))\""
  }
}
