import Reports

/// The line at the bottom of a terminal while a comparison runs: what it does, a bar, and the time
/// left.
struct CompareProgress {
  private var isDrawn = false

  /// What draws the line anew.
  ///
  /// - Parameters:
  ///   - what: What is being done.
  ///   - done: The part that is done, 0 to 1.
  ///   - secondsLeft: The time left; `nil` where it is not known yet.
  ///   - width: The columns that the terminal has.
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

  /// What takes the line away.
  mutating func clear() -> String {
    defer { isDrawn = false }
    return isDrawn ? "\r\u{1B}[K" : ""
  }
}
