import Foundation
import StressRunner
import Testing
import TestSupport

@testable import Reports

/// Verdicts and times over several runs, as text and as a page.
@Suite("A trend")
struct TrendTests {
  private func result(
    _ subject: String, _ verdict: Verdict.Kind, seconds: Double
  ) -> TrialResult {
    var result = Samples.result(Samples.writes, subject) { $0.seconds = seconds }
    if verdict == .skipped {
      result.verdict = .skipped(reason: "needs 'get'")
    } else if verdict != .passed {
      result.verdict = Samples.race.verdict
    }
    return result
  }

  /// Five runs: a race appears and stays, another comes and goes, and a subject gets slower.
  private var trend: Trend {
    let race: [Verdict.Kind] = [.passed, .passed, .passed, .race, .race]
    let flaky: [Verdict.Kind] = [.passed, .race, .passed, .passed, .skipped]
    let times = [0.3, 0.31, 0.32, 0.33, 0.9]
    let runs = (0..<5).map { run -> Trend.Run in
      var results = [
        result("steady", .passed, seconds: 0.5), result("racy", race[run], seconds: 0.1),
        result("flaky", flaky[run], seconds: 0.1),
        result("slower", .passed, seconds: times[run]),
        result("<script>]]>\u{1B}[2J", .passed, seconds: 0),
      ]
      if run > 1 { results.append(result("new", .passed, seconds: 0.2)) }
      let isKnown = run > 0
      return Trend.Run(
        name: "run-\(run).jsonl", commit: isKnown ? "\(run)a2b3c4d5e6f708192a3b" : nil,
        began: isKnown ? 1_795_000_000 + run * 86_400 : nil, results: results,
        missing: run == 3 ? 2 : 0)
    }
    // The order in which records are read does not matter.
    return Trend(runs.reversed())
  }

  @Test("The text of a trend is as in its golden file")
  func text() {
    expectGolden(TrendText(trend, style: TextStyle(color: false)).text, "trend.txt")
  }

  @Test("A verdict that changed is shown once, with its last change; a steady one is not")
  func changes() throws {
    let changes = trend.changes
    #expect(changes.map(\.pair.subject) == ["flaky", "racy"])
    let racy = try #require(changes.last)
    #expect(racy.before == "✓ passed" && racy.after == "✗ race" && racy.run == 3)
    #expect(trend.history(racy.pair) == "✓✓✓✗✗")
    #expect(trend.history(changes[0].pair) == "✓✗✓✓–")
    #expect(trend.history(.init(scenario: "thousand-and-one-writes", subject: "new")) == "··✓✓✓")
  }

  @Test("A time outside the range of the runs before is shown; others, or of few runs, are not")
  func costs() throws {
    let cost = try #require(trend.costs.first)
    #expect(trend.costs.count == 1 && cost.pair.subject == "slower")
    #expect(cost.seconds == 0.9 && cost.before == 0.3...0.33 && cost.runs == 4)
    func run(_ seconds: Double, _ began: Int) -> Trend.Run {
      Trend.Run(
        name: "", commit: nil, began: began,
        results: [result("a", .passed, seconds: seconds)], missing: 0)
    }
    #expect(Trend([run(1, 0), run(1, 1), run(9, 2)]).costs.isEmpty)
    #expect(Trend([run(1, 0), run(1, 1), run(1, 2), run(9, 3)]).costs.count == 1)
    #expect(Trend([run(1, 0), run(1, 1), run(1, 2), run(0.1, 3)]).costs.count == 1)
    #expect(Trend([run(1, 0), run(1, 1), run(1, 2), run(1.4, 3)]).costs.isEmpty)
    // Milliseconds are noise, however many times more they are.
    #expect(Trend([run(0.001, 0), run(0.001, 1), run(0.001, 2), run(0.02, 3)]).costs.isEmpty)
  }

  @Test("The page of a trend is well formed, has a sign for each run, and keeps hostile names text")
  func page() throws {
    let text = TrendPage(trend, version: "0.1.0").text
    let page = Page(text)
    #expect(page.error == nil)
    #expect(page.all("script").isEmpty)
    let rows = page.all("tr").filter { $0.text.contains("thousand-and-one-writes on racy") }
    // Once among the changes, once among all pairs.
    #expect(rows.count == 2)
    #expect(rows.contains { $0.text.filter { "✓✗–·".contains($0) } == "✓✓✓✗✗" })
    #expect(page.all("rect").count == 5 + 3 + 2)
    #expect(page.all("polyline").first?.attributes["points"]?.split(separator: " ").count == 5)
    #expect(page.all("title").contains { $0.text.contains("5 met, 1 unmet, 0 skipped, 2 missing") })
    // One run has neither a picture nor a change.
    let one = Trend([Trend.Run(name: "a", commit: nil, began: nil, results: [], missing: 0)])
    #expect(Page(TrendPage(one, version: "0").text).error == nil)
    #expect(TrendText(one, style: TextStyle(color: false)).text.contains("One run shows no trend."))
  }

  @Test("A moment is shown in UTC, to the minute")
  func time() {
    #expect(timeText(0) == "1970-01-01 00:00")
    #expect(timeText(951_827_696) == "2000-02-29 12:34")
    #expect(timeText(1_795_000_000) == "2026-11-18 11:06")
  }
}
