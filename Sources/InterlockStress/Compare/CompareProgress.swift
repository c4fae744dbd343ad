import Reports

/// The line at the bottom of a terminal during a comparison: the current step, a bar, and the
/// remaining time.
struct CompareProgress {
  private var isDrawn = false

  /// Returns the text that redraws the line.
  ///
  /// - Parameters:
  ///   - what: The current step.
  ///   - done: The finished fraction, 0 to 1.
  ///   - secondsLeft: The remaining seconds; `nil` if unknown.
  ///   - width: The terminal's columns.
  /// - Returns: Text that moves the cursor.
  mutating func line(_ what: String, done: Double, secondsLeft: Double?, width: Int) -> String {
    let percent = Int((min(1, max(0, done)) * 100).rounded(.down))
    let left = secondsLeft.map { ", " + timeText($0) + " left" } ?? ""
    let tail = " \(percent) %\(left)"
    let room = min(40, width - what.count - tail.count - 4)
    var text = what
    if room >= 10 {
      let filled = room * percent / 100
      text +=
        " [" + String(repeating: "=", count: filled)
        + String(repeating: " ", count: room - filled) + "]"
    }
    isDrawn = true
    return "\r\u{1B}[K" + String((text + tail).prefix(max(1, width - 1)))
  }

  /// Returns the text that removes the line.
  mutating func clear() -> String {
    defer { isDrawn = false }
    return isDrawn ? "\r\u{1B}[K" : ""
  }
}
