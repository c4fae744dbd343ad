import Interlock
import Findings
import StressRunner
import Testing
import TestSupport

@testable import Reports
import ProcessInspection

@Suite("Reports")
struct ReportTests {
  private let plain = TextStyle(color: false)

  private func report(
    _ results: [TrialResult] = Samples.all, isVerbose: Bool = false, color: Bool = false,
    width: Int = 120
  ) -> String {
    TextReport(
      context: Samples.context, style: TextStyle(color: color), isVerbose: isVerbose
    ).text(results, of: Samples.trials, seconds: 12.34, width: width)
  }

  @Test("The text report has the table, the evidence of unmet expectations, and the summary")
  func text() {
    expectGolden(report(), "report.txt")
  }

  @Test("A verbose report shows expected failures too, and every frame")
  func verbose() {
    expectGolden(report(isVerbose: true), "report-verbose.txt")
  }

  @Test("A line is printed for each trial that is judged")
  func trialLines() {
    let line = TrialLine(Samples.trials, style: plain)
    expectGolden(Samples.all.map { line.text($0, width: nil) + "\n" }.joined(), "lines.txt")
  }

  @Test("On a terminal the reason wraps between words, indented; in a pipe it stays one line")
  func wrappedReason() {
    let message = "1000 of 1000 callers wait for \(String(repeating: "x", count: 50)) and others"
    let result = Samples.result(Samples.reads, "mutex") { $0.ending = .notRun(reason: message) }
    let line = TrialLine([result.trial], style: plain)
    #expect(
      line.text(result, width: 40).split(separator: "\n").dropFirst() == [
        "    1000 of 1000 callers wait for", "    \(String(repeating: "x", count: 36))",
        "    \(String(repeating: "x", count: 14)) and others",
      ])
    #expect(line.text(result, width: 80).split(separator: "\n").count == 3)
    #expect(line.text(result, width: nil).hasSuffix("\n    \(message)"))
    for width in 1...10 { #expect(!line.text(result, width: width).hasSuffix(" ")) }
  }

  @Test("On a narrow terminal the counts move up to the verdict, then to a new line")
  func narrowLine() {
    let result = Samples.result(Samples.reads, "mutex")
    let line = TrialLine([result.trial], style: plain)
    #expect(
      line.text(result, width: 80)
        == "✓ concurrent-reads  mutex  passed                 1000/1000  0.08 s")
    #expect(line.text(result, width: 55) == "✓ concurrent-reads  mutex  passed  1000/1000  0.08 s")
    #expect(
      line.text(result, width: 40)
        == "✓ concurrent-reads  mutex  passed\n    1000/1000  0.08 s")
  }

  @Test("Names that a child gave its threads, queues and resources move no cursor")
  func names() {
    let name = "a\u{1B}[2J\nb"
    var result = Samples.race
    result.observation.conflicts[0].resource = name
    result.observation.conflicts[0].first.thread = name
    result.observation.conflicts[0].second.queue = name
    result.observation.threads = [.init(count: 1, name: name, state: "sleeping", stack: [])]
    let text = report([Samples.judged(result.trial, result.observation)])
    #expect(!text.contains("\u{1B}"))
    // The message names the resource too.
    #expect(text.matches(of: /a \[2J b/).count == 5)
  }

  @Test("The JSON report has every key of the schema in its order")
  func json() {
    expectGolden(
      JSONReport().text(Samples.all, of: Samples.trials, seconds: 1, Samples.context), "report.json"
    )
  }

  @Test("The JSON report is JSON, after any number of results")
  func wellFormed() throws {
    for count in 0...Samples.all.count {
      let text = JSONReport().text(
        Array(Samples.all.prefix(count)), of: Samples.trials, seconds: 1, Samples.context)
      let value = try JSONReader.read(Array(text.utf8))
      guard case .object(let members) = value.content else {
        Issue.record("no object")
        return
      }
      #expect(
        members.map(\.key)
          == ["schemaVersion", "tool", "host", "seed", "results", "summary"])
      guard case .array(let results) = members[4].value.content else {
        Issue.record("no results")
        return
      }
      #expect(results.count == count)
      guard case .object(let summary) = members[5].value.content else {
        Issue.record("no summary")
        return
      }
      #expect(summary.map(\.key) == ["met", "unmet", "skipped", "planned"])
      #expect(summary.last?.value.content == .number("\(Samples.all.count)"))
    }
  }

  @Test("Colour only repeats a sign: without its escapes the text is the plain one")
  func color() {
    let colored = report(color: true)
    #expect(colored.contains("\u{1B}[1;31m✗"))
    #expect(colored.replacing(/\u{1B}\[[0-9;]*m/, with: "") == report())
    #expect(!report().contains("\u{1B}"))
  }

  @Test("The table fits the terminal: columns that do not fit go below")
  func width() {
    for width in [40, 60, 80, 120] {
      let table = VerdictTable(Samples.all, of: Samples.trials)
      for line in table.lines(width: width, style: plain) { #expect(line.count <= width) }
    }
    let narrow = VerdictTable(Samples.all, of: Samples.trials).lines(
      width: 10, style: plain)
    #expect(narrow.filter { $0.hasPrefix("unlocked") }.count == 2)
  }

  @Test("At 40 columns, and at 26, names break, and no line of table or trials is longer")
  func narrow() {
    let line = TrialLine(Samples.trials, style: plain)
    var text = ""
    for width in [40, 26] {
      let lines =
        Samples.all.map { line.text($0, width: width) }
        + VerdictTable(Samples.all, of: Samples.trials).lines(width: width, style: plain)
      text += "\(width) columns\n\n" + lines.joined(separator: "\n") + "\n\n"
      for line in lines.joined(separator: "\n").split(separator: "\n") {
        #expect(line.count <= width, "\(line)")
      }
    }
    expectGolden(text, "narrow.txt")
  }

  @Test("No terminal is too narrow for a report, and a wider one changes nothing that fitted")
  func anyWidth() {
    let line = TrialLine(Samples.trials, style: plain)
    let colored = TrialLine(Samples.trials, style: TextStyle(color: true))
    let words = report().filter { !$0.isWhitespace && $0 != "-" }.count
    for width in 0...130 {
      #expect(report(width: width).filter { !$0.isWhitespace && $0 != "-" }.count >= words)
      for result in Samples.all {
        let text = line.text(result, width: width)
        #expect(text.replacing(#/ *\n */#, with: " ").contains(result.trial.subject))
        #expect(!text.contains(" \n") && !text.hasSuffix(" "))
        #expect(
          colored.text(result, width: width).replacing(/\u{1B}\[[0-9;]*m/, with: "") == text)
      }
    }
  }

  @Test("A pair with one unmet trial of three is unmet: a retry turns nothing green")
  func retries() {
    let good = Samples.result(Samples.writes, "unlocked")
    let bad = Samples.race
    for results in [[good, good, bad], [bad, good, good], [good, bad, good]] {
      let lines = VerdictTable(results, of: results.map { $0.trial }).lines(width: 80, style: plain)
      #expect(lines.last == "unlocked  ✗ race 1/3")
      #expect(ReportSummary(results).unmet == 1)
    }
  }

  @Test("An interrupted run counts the missing trials, which have no verdict")
  func interrupted() {
    let text = report(Array(Samples.all.prefix(1)))
    #expect(text.contains("✓ 1 trial: 1 met, 0 unmet, 0 skipped (12.3 s), 9 of 10 not judged"))
    #expect(text.contains("semaphore-over-async  ·"))
  }

  @Test("If every trial is skipped, the summary says that nothing was judged")
  func allSkipped() {
    let text = TextReport(context: Samples.context, style: plain, isVerbose: false).text(
      [Samples.skipped], of: [Samples.skipped.trial], seconds: 0, width: 80)
    #expect(text.hasSuffix("– 1 trial: 0 met, 0 unmet, 1 skipped (0.00 s): nothing was judged\n"))
  }

  @Test("A deadlock with an unexpected cause is unmet, and both reports name both causes")
  func otherCause() {
    let result = Samples.result(Samples.reads, "semaphore-over-async") { seen in
      seen.ending = .stalled
      seen.waits = Hangs.ring
    }
    #expect(result.isMet == false)
    #expect(
      TrialLine([result.trial], style: plain).text(result, width: nil)
        .contains("deadlock (cycle)       1000/1000  0.08 s  expected deadlock (starvation)"))
    #expect(JSONReport.entry(result).contains(#"(expected the cause 'starvation')""#))
  }
}
