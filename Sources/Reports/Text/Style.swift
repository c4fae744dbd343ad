/// The markup of text. Colour only repeats what a sign shows: pipes have no colour, and some
/// readers do not see it.
package struct TextStyle: Sendable, Hashable {
  /// True if ANSI escapes for colours are written.
  package var color: Bool

  /// Creates a style with or without colours.
  package init(color: Bool) {
    self.color = color
  }

  package func green(_ text: String) -> String { escaped("32", text) }
  package func red(_ text: String) -> String { escaped("1;31", text) }
  func yellow(_ text: String) -> String { escaped("33", text) }
  func dim(_ text: String) -> String { escaped("2", text) }
  package func bold(_ text: String) -> String { escaped("1", text) }

  private func escaped(_ code: String, _ text: String) -> String {
    color && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// Colours a text if an expectation was met or unmet; `nil` stands for skipped.
  func marked(_ text: String, met: Bool?) -> String {
    switch met {
    case true?: green(text)
    case false?: red(text)
    case nil: yellow(text)
    }
  }
}

/// The sign of a result, which shows without colour what the colour shows.
func sign(met: Bool?) -> String {
  switch met {
  case true?: "✓"
  case false?: "✗"
  case nil: "–"
  }
}

extension String {
  /// Pads the text with spaces to a width.
  func padded(to width: Int) -> String {
    count >= width ? self : self + String(repeating: " ", count: width - count)
  }
}

/// Wraps a text between words, and inside a word only if the word is longer than a line.
package func wrapped(_ text: String, width: Int) -> [String] {
  let width = max(1, width)
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    if !line.isEmpty, line.count + 1 + word.count > width {
      lines.append(line)
      line = ""
    }
    line += (line.isEmpty ? "" : " ") + word
    while line.count > width {
      lines.append(String(line.prefix(width)))
      line = String(line.dropFirst(width))
    }
  }
  return line.isEmpty ? lines : lines + [line]
}

/// Formats seconds: two decimals below ten, one above.
package func secondsText(_ seconds: Double) -> String {
  let decimals = seconds < 10 ? 100.0 : 10.0
  let scaled = Int((min(max(0, seconds), 1e12) * decimals).rounded())
  let (whole, part) = scaled.quotientAndRemainder(dividingBy: Int(decimals))
  let digits = String(part)
  return "\(whole)." + String(repeating: "0", count: (decimals == 100 ? 2 : 1) - digits.count)
    + digits + " s"
}

/// Removes control characters, and characters that change the writing direction, from a line: a
/// child's output must not control the terminal.
func harmless(_ line: some StringProtocol) -> String {
  var text = String.UnicodeScalarView()
  for scalar in line.unicodeScalars {
    let isSafe =
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: !scalar.properties.isBidiControl
      }
    text.append(isSafe ? scalar : " ")
  }
  return String(text)
}
