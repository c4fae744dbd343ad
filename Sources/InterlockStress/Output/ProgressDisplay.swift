import Reports
import StressRunner

/// The lines at the bottom of a terminal while trials run: a line for each running trial, and a
/// bar.
///
/// A pure function from state to text: each event redraws the lines over the previous ones.
struct ProgressDisplay {
  private let trials: [Trial]
  private var running: [Int] = []
  private var summary = ReportSummary()
  private var drawnLines = 0

  init(_ trials: [Trial]) {
    self.trials = trials
  }

  mutating func started(_ index: Int) {
    running.append(index)
  }

  mutating func finished(_ index: Int, _ result: TrialResult) {
    running.removeAll { $0 == index }
    summary.add(result)
  }

  /// Returns the text that removes the current lines, prints `text` permanently, and draws the new
  /// lines.
  mutating func redraw(above text: String, width: Int, height: Int) -> String {
    let lines = lines(width: width, height: height)
    let result = clear() + text + lines.map { $0 + "\n" }.joined()
    drawnLines = lines.count
    return result
  }

  /// Returns the text that removes the current lines.
  mutating func clear() -> String {
    defer { drawnLines = 0 }
    guard drawnLines > 0 else { return "" }
    // Start at the beginning of the line, where the terminal may have echoed a ^C. Erase line by
    // line, since some terminals keep a screen erased at once in their history; then erase to the
    // end of the screen, in case the window got narrower.
    return "\r\u{1B}[K" + String(repeating: "\u{1B}[A\u{1B}[K", count: drawnLines) + "\u{1B}[J"
  }

  /// The lines are never wider than the terminal: a wrapped line would have to be erased as two.
  /// They are never so high that the first line scrolls out when the cursor moves below the last
  /// one: the cursor could not return to it.
  private func lines(width: Int, height: Int) -> [String] {
    guard height > 1 else { return [] }
    let room = min(8, height - 2)
    // If there are too many lines, the last one counts the rest.
    let named = running.count > room ? max(0, room - 1) : running.count
    var shown = running.prefix(named).map { index in
      "… \(trials[index].scenario.name)  \(trials[index].subject)"
    }
    if named < running.count, room > 0 { shown.append("… and \(running.count - named) more") }
    let counts =
      "\(summary.count)/\(trials.count)  \(summary.met) met, \(summary.unmet) unmet, "
      + "\(summary.skipped) skipped"
    let barRoom = min(30, width - counts.count - 4)
    var bar = ""
    if barRoom >= 10, !trials.isEmpty {
      let filled = barRoom * summary.count / trials.count
      bar =
        "[" + String(repeating: "=", count: filled)
        + String(repeating: " ", count: barRoom - filled) + "] "
    }
    return (shown + [bar + counts]).map { String($0.prefix(max(1, width - 1))) }
  }
}
