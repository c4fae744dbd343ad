import Foundation
package import StressRunner

/// What several runs of the same scenarios showed, in the order of time.
package struct Trend: Sendable {
  /// A scenario and a subject.
  package struct Pair: Sendable, Hashable, Comparable {
    var scenario: String
    var subject: String

    /// `reads on mutex`
    var title: String { "\(scenario) on \(subject)" }

    package static func < (left: Pair, right: Pair) -> Bool {
      (left.scenario, left.subject) < (right.scenario, right.subject)
    }
  }

  /// What the trials of a pair showed in one run.
  package struct Cell: Sendable {
    /// `✓ passed`, `✗ race 1/3`
    var text: String
    /// Whether every verdict was the expected one; `nil` if all trials were skipped.
    var met: Bool?
    /// The median time of a judged trial; `nil` if all were skipped.
    var seconds: Double?
  }

  /// One run.
  package struct Run: Sendable {
    /// The commit that was tested, in full; `nil` if the records do not have it.
    package var commit: String?
    /// When it began, in seconds since 1970; `nil` if the records do not have it.
    package var began: Int?
    /// The file or folder of its records.
    package var name: String
    /// Planned trials that were not judged.
    package var missing: Int
    package private(set) var summary = ReportSummary()
    private(set) var cells: [Pair: Cell] = [:]

    /// Sums up the results of a run.
    package init(
      name: String, commit: String?, began: Int?, results: [TrialResult], missing: Int
    ) {
      self.name = name
      self.commit = commit
      self.began = began
      self.missing = missing
      summary = ReportSummary(results)
      summary.seconds = results.reduce(0) { $0 + $1.observation.seconds }
      let pairs = Dictionary(grouping: results) {
        Pair(scenario: $0.trial.scenario.name, subject: $0.trial.subject)
      }
      cells = pairs.compactMapValues { results in
        VerdictCell(of: results).map { cell in
          let times = results.filter { $0.isMet != nil }.map(\.observation.seconds).sorted()
          let middle =
            times.isEmpty
            ? nil : (times[times.count / 2] + times[(times.count - 1) / 2]) / 2
          return Cell(text: cell.text, met: cell.met, seconds: middle)
        }
      }
    }

    /// `2026-11-23 10:02  1a2b3c4d5e6f`, or the name of its file.
    var title: String {
      let parts = [began.map(timeText), commit.map { String($0.prefix(12)) }].compactMap(\.self)
      return parts.isEmpty ? name : parts.joined(separator: "  ")
    }
  }

  /// A pair whose verdict is not the same in all runs.
  struct Change {
    var pair: Pair
    /// The verdicts on both sides of the last change, and the position of the run after it.
    var before: String
    var after: String
    var run: Int
  }

  /// A pair whose time in the last run is far from its times in all runs before.
  struct Cost {
    var pair: Pair
    var seconds: Double
    var before: ClosedRange<Double>
    var runs: Int
  }

  /// By how much, and by how many seconds, a time must leave the range of the runs before.
  static let leastFactor = 1.5
  static let leastSeconds = 0.05
  /// In how many runs before a pair must have been measured.
  static let leastRuns = 3

  /// The runs, the oldest first.
  package let runs: [Run]
  /// All pairs.
  let pairs: [Pair]

  /// Sorts runs by the time at which they began; those that do not know it come first, by name.
  package init(_ runs: [Run]) {
    self.runs = runs.sorted { ($0.began ?? .min, $0.name) < ($1.began ?? .min, $1.name) }
    pairs = Set(runs.flatMap(\.cells.keys)).sorted()
  }

  /// The pairs whose verdict changed, the latest change first.
  var changes: [Change] {
    let found = pairs.compactMap { pair in
      let seen = runs.indices.compactMap { run in
        runs[run].cells[pair].map { (run: run, text: $0.text) }
      }
      let changes = Array(zip(seen, seen.dropFirst())).last { $0.text != $1.text }
      return changes.map { before, after in
        Change(pair: pair, before: before.text, after: after.text, run: after.run)
      }
    }
    return found.sorted { ($1.run, $0.pair) < ($0.run, $1.pair) }
  }

  /// The pairs that the last run took far more, or far less, time for.
  var costs: [Cost] {
    guard let last = runs.last else { return [] }
    return pairs.compactMap { pair in
      let before = runs.dropLast().compactMap { $0.cells[pair]?.seconds }
      guard before.count >= Self.leastRuns, let seconds = last.cells[pair]?.seconds,
        let least = before.min(), let most = before.max()
      else { return nil }
      let isSlower = seconds > max(most * Self.leastFactor, most + Self.leastSeconds)
      let isFaster = seconds < min(least / Self.leastFactor, least - Self.leastSeconds)
      guard isSlower || isFaster else { return nil }
      return Cost(pair: pair, seconds: seconds, before: least...most, runs: before.count)
    }
  }

  /// A sign for each run: `✓✓✗·–`; a dot where the pair was not tried.
  func history(_ pair: Pair) -> String {
    runs.map { run in run.cells[pair].map { sign(met: $0.met) } ?? "·" }.joined()
  }
}

/// A moment in UTC, to the minute: `2026-11-23 10:02`.
func timeText(_ secondsSince1970: Int) -> String {
  var time = time_t(secondsSince1970)
  var parts = tm()
  gmtime_r(&time, &parts)
  return String(
    format: "%04d-%02d-%02d %02d:%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
    parts.tm_hour, parts.tm_min)
}
