import Comparison
import Foundation
import Findings
import StressRunner
import Testing
import TestSupport

@testable import Reports

@Suite("The report of a comparison")
struct ComparisonReportTests {
  private func report(_ record: ComparisonRecord) -> ComparisonReport {
    ComparisonReport(
      record, reference: "twin", difference: 0.05, context: ComparisonSamples.context,
      build: "release")
  }

  private func text(_ record: ComparisonRecord, verbose: Bool = false, width: Int = 160) -> String {
    var report = report(record)
    report.settings.isVerbose = verbose
    report.settings.width = { width }
    return ComparisonText(report).text
  }

  private func json(_ record: ComparisonRecord) -> String { ComparisonJSON.text(report(record)) }

  private func page(_ record: ComparisonRecord) -> String { ComparisonPage(report(record)).text }

  @Test("Every format's text of a comparison is not empty and ends with a line break")
  func formats() {
    #expect(ComparisonFormat.all.count { $0.destination == .terminal } == 1)
    for format in ComparisonFormat.all {
      let text = format.text(report(ComparisonSamples.record))
      #expect(text.count > 1 && text.hasSuffix("\n"), "\(format.name)")
    }
  }

  @Test("A comparison for a terminal has the ranking, the winners, unranked strategies and advice")
  func terminal() {
    expectGolden(text(ComparisonSamples.record), "comparison.txt")
    expectGolden(text(ComparisonSamples.record, verbose: true), "comparison-verbose.txt")
  }

  /// A comparison of the throughputs of rounds, by strategy.
  private func record(_ rounds: [(String, [Double])]) -> ComparisonRecord {
    var record = ComparisonSamples.record
    record.strategies = rounds.map { .init(name: $0.0, summary: "") }
    record.cells = [
      .init(
        cell: ComparisonSamples.base,
        entries: rounds.map { name, figures in
          .init(
            strategy: name,
            rounds: figures.map { RoundFigures(operations: Int($0), seconds: 1) })
        })
    ]
    return record
  }

  @Test("A strategy that beats the one with the highest median is first, in every format")
  func beatsHighest() {
    let rounds = (0..<15).map { Double(100_000 + 4000 * $0) }
    let ahead = rounds.enumerated().map { $1 * ($0 == 7 ? 0.98 : 1.02) }
    let equal = rounds.enumerated().map { $1 * ($0 % 2 == 0 ? 0.96 : 1.05) }
    let two = record([("drifting", rounds), ("ahead", ahead)])
    #expect(text(two).contains(#/\n1  ahead .* the fastest /#))
    #expect(text(two).contains(#/\n2  drifting .* 1\.02 × slower /#))
    #expect(json(two).contains("\"verdict\": \"slower\""))
    #expect(!json(two).contains("\"verdict\": \"faster\""))
    let three = record([("drifting", rounds), ("ahead", ahead), ("equal", equal)])
    #expect(text(three).contains(#/\n1  ahead .* one of the fastest /#), "\(text(three))")
    #expect(text(three).contains(#/\n1  equal .* no difference seen /#))
  }

  @Test("A strategy of a circle that beats the first is shown as faster, and as a leader")
  func circle() {
    func rounds(_ speeds: [Double]) -> [Double] { (0..<60).map { speeds[$0 % 3] } }
    let circle = record([
      ("one", rounds([300, 100, 200])), ("two", rounds([200, 300, 100])),
      ("three", rounds([100, 200, 300])),
    ])
    #expect(text(circle).contains(#/\n1  .* × faster \(/#))
    #expect(text(circle).contains(#/\n\d  .* × slower \(/#))
    #expect(json(circle).contains("\"verdict\": \"faster\""))
  }

  @Test("A comparison's tables are never wider than the terminal, and move no cursor")
  func narrow() {
    let lines = text(ComparisonSamples.record, width: 80).split(separator: "\n")
    for line in lines where line.contains("█") { #expect(line.count <= 80) }
    #expect(!text(ComparisonSamples.record).contains("\u{1B}"))
  }

  @Test("A comparison as JSON has every round's figures, in the order of the schema's page")
  func document() throws {
    var record = ComparisonSamples.make(bad: "bad")
    record.cells = Array(record.cells.prefix(1))
    expectGolden(json(record), "comparison.json")
    _ = try JSONReader.read(Array(json(ComparisonSamples.record).utf8))
  }

  @Test("A comparison as JSON is read as a baseline without loss")
  func baseline() throws {
    let record = ComparisonSamples.record
    let file = try BaselineFile(Array(json(record).utf8), path: "x")
    let names = record.cells.map(\.cell.name)
    let ratios = try file.ratios(to: "twin", cells: names, strategies: ["quick", "slow"])
    #expect(ratios == Baseline.Ratios(record, to: "twin"))
    #expect(Baseline(limit: 0).regressions(ratios, since: ratios).isEmpty)
    #expect(throws: ScenarioError.self) {
      try file.ratios(to: "twin", cells: names, strategies: ["other"])
    }
    #expect(file.hasFigures(of: "quick", in: names) && !file.hasFigures(of: "other", in: names))
    #expect(!file.hasFigures(of: "quick", in: ["elsewhere"]))
  }

  @Test("A baseline of another load, of another build or without a workload is refused")
  func otherBaseline() throws {
    func refusal(_ rate: Double?, now: Double?, build: String?) throws -> String? {
      var record = ComparisonSamples.record
      record.rate = rate
      let file = try BaselineFile(Array(json(record).utf8), path: "x")
      do throws(ScenarioError) {
        try file.check(rate: now, build: build, cells: [ComparisonSamples.base.name])
        return nil
      } catch {
        return error.message
      }
    }
    #expect(try refusal(nil, now: nil, build: "release") == nil)
    #expect(try refusal(1000 / 3, now: 1000 / 3, build: "release") == nil)
    #expect(try refusal(nil, now: nil, build: nil) == nil)
    #expect(
      try refusal(200, now: nil, build: "release")
        == "the baseline was measured with '--rate 200', and this comparison is without '--rate'")
    #expect(
      try refusal(nil, now: 200, build: "release")
        == "the baseline was measured without '--rate', and this comparison is with '--rate 200'")
    #expect(try refusal(200, now: 100, build: nil)?.hasSuffix("is with '--rate 100'") == true)
    #expect(
      try refusal(nil, now: nil, build: "debug")
        == "the baseline is of a release build, and this is a debug build: give '--allow-debug' to"
        + " compare them")
    let file = try BaselineFile(Array(json(ComparisonSamples.record).utf8), path: "x")
    #expect(throws: ScenarioError.self) {
      try file.check(rate: nil, build: nil, cells: ["elsewhere"])
    }
  }

  @Test("A comparison's page is well-formed, and text from a user stays text")
  func escaped() {
    let text = page(ComparisonSamples.record)
    let page = Page(text)
    #expect(page.error == nil, "\(page.error ?? "")")
    #expect(page.all("script").count == 1 && page.all("b").isEmpty && page.all("them").isEmpty)
    #expect(!text.contains("\u{1B}"))
    #expect(text.contains("bad&lt;script&gt;"))
    #expect(page.values("src").isEmpty && page.values("href").isEmpty)
    #expect(!text.contains("@import") && !text.contains("url("))
  }

  @Test("A comparison's page has each chart's figures as a table, which the chart refers to")
  func accessible() throws {
    let page = Page(page(ComparisonSamples.record))
    let charts = page.all("svg").filter { $0.attributes["role"] == "img" }
    #expect(charts.count == 4)
    let ids = Set(page.values("id"))
    for chart in charts {
      #expect(ids.contains(try #require(chart.attributes["aria-labelledby"])))
      let table = try #require(chart.attributes["aria-describedby"])
      #expect(page.all("table").contains { $0.attributes["id"] == table })
    }
    for head in page.all("th") { #expect(head.attributes["scope"] != nil) }
    for table in page.all("table") { #expect(table.parents.contains("div")) }
    // Everything that scrolls must be reachable by the keyboard.
    let scrolling = page.elements.filter { $0.attributes["class"] == "scroll" }
    #expect(scrolling.allSatisfy { $0.attributes["tabindex"] == "0" })
    let levels = page.elements.compactMap { ["h1", "h2", "h3"].firstIndex(of: $0.name) }
    #expect(levels.first == 0 && levels.count { $0 == 0 } == 1)
    for (one, next) in zip(levels, levels.dropFirst()) { #expect(next <= one + 1) }
  }

  @Test("A comparison's page has the charts' figures in tables, and all figures in the last one")
  func figures() throws {
    let page = Page(page(ComparisonSamples.record))
    let all = try #require(page.all("table").first { $0.attributes["class"] == "sortable" })
    #expect(all.text.contains("calls/s") && all.text.contains("is the") == false)
    let rows = page.all("tr").filter { $0.parents.contains("tbody") }
    // Three ranked strategies: on five workloads, and in the tables of three charts; a row for each
    // number of callers.
    #expect(rows.count == 15 + 9 + 2)
    let throughput = try #require(
      page.all("table").first { $0.attributes["id"] == "throughput-figures" })
    #expect(throughput.text.contains("quick") && throughput.text.contains("2.0"))
    let winners = try #require(page.all("table").first { $0.attributes["id"] == "winners-figures" })
    #expect(winners.text.contains("slow"))
    #expect(page.all("button").count == 18)
  }

  @Test("A comparison names the machine, the build, and each unranked strategy with the reason")
  func facts() {
    let text = page(ComparisonSamples.record)
    #expect(text.contains("Test OS 1, 2 processors, Swift 6.3"))
    #expect(text.contains("release, interlock 1.2.3"))
    #expect(text.contains("race. two of &lt;them&gt; &amp; one &#39;lock&#39;"))
    #expect(text.contains("a note of the machine"))
  }

  @Test("A comparison without measurements is a page and a text too")
  func nothing() {
    let record = ComparisonRecord(
      strategies: [
        .init(name: "x", summary: "", fault: .init(verdict: "crashed", message: "died"))
      ], seed: 1, roundSeconds: 0, plannedRounds: 0)
    #expect(Page(page(record)).error == nil)
    #expect(text(record).contains("✗ x  crashed, no rank: died"))
    #expect(json(record).contains("\"cells\": []"))
  }

  @Test("A strategy whose rounds have no call, as on a busy machine, has its line in every format")
  func noCall() throws {
    for idle: Set in [["slow"], ["quick", "twin", "slow"]] {
      var record = ComparisonSamples.record
      for (cell, entry) in record.cells.indices.flatMap({ cell in
        record.cells[cell].entries.indices.map { (cell, $0) }
      }) where idle.contains(record.cells[cell].entries[entry].strategy) {
        for round in record.cells[cell].entries[entry].rounds.indices {
          record.cells[cell].entries[entry].rounds[round] = RoundFigures(
            operations: 0, seconds: 0.05)
        }
      }
      #expect(text(record).contains("slow"))
      let page = page(record)
      #expect(Page(page).error == nil)
      #expect(!page.contains("\"nan\"") && !page.contains("\"inf\""))
      #expect(json(record).contains("\"calls\": 0"))
      #expect(throws: Never.self) { try JSONReader.read(Array(json(record).utf8)) }
    }
  }

  @Test("A comparison's page has a script whose hash is in its policy")
  func policy() throws {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sha256sum"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    input.fileHandleForWriting.write(Data(ComparisonStyle.script.utf8))
    try input.fileHandleForWriting.close()
    let digits = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let hexadecimal = Array(digits.prefix(64))
    let bytes = stride(from: 0, to: hexadecimal.count, by: 2).compactMap {
      UInt8(String(hexadecimal[$0..<$0 + 2]), radix: 16)
    }
    #expect(Data(bytes).base64EncodedString() == ComparisonStyle.scriptHash)
    // XML and HTML would read these characters differently.
    #expect(!ComparisonStyle.script.contains("&") && !ComparisonStyle.script.contains("<"))
  }

  @Test(
    "A comparison writes figures with three digits",
    arguments: [
      (0, "0"), (1, "1.00 ns"), (98.4, "98.4 ns"), (999.4, "999 ns"), (999.7, "1.00 µs"),
      (1234, "1.23 µs"), (99_960, "100 µs"), (2_500_000_000, "2.50 s"),
    ])
  func digits(value: Double, text: String) {
    #expect(latencyText(value) == text)
  }
}
