import Findings
import Foundation
import Interlock
import StressRunner
import TestSupport
import Testing

@testable import Reports

/// Accessors of a JSON value for tests.
extension JSONValue {
  subscript(_ key: String) -> JSONValue? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }

  var list: [JSONValue] { if case .array(let values) = content { values } else { [] } }
  var string: String? { if case .string(let text) = content { text } else { nil } }
  var number: Int? { if case .number(let text) = content { Int(text) } else { nil } }
}

@Suite("A report for other programs")
struct MachineReportTests {
  @Test("Each format for other programs shows the findings as in its golden file")
  func goldens() {
    expectGolden(Faults.text("sarif"), "findings.sarif")
    expectGolden(Faults.text("junit"), "junit.xml")
    expectGolden(Faults.text("gitlab"), "gitlab.json")
    expectGolden(Faults.text("github"), "github.txt")
    expectGolden(Faults.text("github-summary"), "github-summary.md")
    expectGolden(Faults.text("xcode"), "xcode.txt")
  }

  @Test("Without a finding, SARIF has an empty list of results, and no line is printed")
  func clean() throws {
    let passed = [Samples.result(Samples.writes, "mutex")]
    let log = try JSONReader.read(Array(Faults.text("sarif", passed).utf8))
    let run = try #require(log["runs"]?.list.first)
    #expect(run["results"]?.list.isEmpty == true)
    #expect(run["invocations"]?.list.first?["executionSuccessful"]?.content == .bool(true))
    #expect(Faults.text("gitlab", passed) == "[]\n")
    #expect(Faults.text("github", passed).isEmpty)
    #expect(Faults.text("xcode", passed).isEmpty)
    #expect(Faults.text("github-summary", passed).contains("Nothing was found."))
  }

  @Test("The report of a run that ended early says so, and has the findings so far")
  func early() throws {
    let format = try #require(ReportFormat.all.first { $0.name == "sarif" })
    let text = format.make(ReportSettings()).text(
      [Samples.race], of: Samples.trials, seconds: 1, Faults.context)
    let run = try #require(try JSONReader.read(Array(text.utf8))["runs"]?.list.first)
    #expect(run["invocations"]?.list.first?["executionSuccessful"]?.content == .bool(false))
    #expect(run["results"]?.list.count == 1)
  }

  @Test("In SARIF every reference leads somewhere: rules, related places, order of execution")
  func references() throws {
    let log = try JSONReader.read(Array(Faults.text("sarif").utf8))
    let run = try #require(log["runs"]?.list.first)
    let rules = run["tool"]?["driver"]?["rules"]?.list ?? []
    let results = run["results"]?.list ?? []
    #expect(results.count == 8)
    for result in results {
      let index = try #require(result["ruleIndex"]?.number)
      #expect(rules[index]["id"]?.string == result["ruleId"]?.string)
      let related = result["relatedLocations"]?.list ?? []
      let text = try #require(result["message"]?["text"]?.string)
      for place in related { #expect(text.contains("](\(place["id"]?.number ?? 0))")) }
      #expect(Set(related.map { $0["id"]?.number }).count == related.count)
      #expect(result["locations"]?.list.count == 1)
      #expect(result["partialFingerprints"]?["interlock/v1"]?.string?.count == 16)
      for flow in result["codeFlows"]?.list ?? [] {
        let order = (flow["threadFlows"]?.list ?? [])
          .flatMap { $0["locations"]?.list.map { $0["executionOrder"]?.number } ?? [] }
        #expect(order.compactMap { $0 }.sorted() == Array(1...order.count))
      }
    }
    let race = try #require(results.first { $0["ruleId"]?.string == "race" })
    #expect(race["relatedLocations"]?.list.count == 1)
    #expect(race["stacks"]?.list.count == 1)
    #expect(race["occurrenceCount"]?.number == 2)
    #expect(race["codeFlows"]?.list.first?["threadFlows"]?.list.count == 2)
  }

  @Test("JUnit has a test for each pair: red if a trial is red, with the number of red trials")
  func junit() {
    let page = Page(Faults.text("junit"))
    #expect(page.error == nil)
    let suites = page.all("testsuite")
    #expect(
      suites.map { $0.attributes["name"] } == [
        "concurrent-reads", "thousand-and-one-writes", "transfers",
      ])
    #expect(suites.map { $0.attributes["tests"] } == ["5", "6", "2"])
    #expect(suites.map { $0.attributes["failures"] } == ["2", "3", "1"])
    #expect(suites.map { $0.attributes["errors"] } == ["0", "1", "0"])
    #expect(suites.map { $0.attributes["skipped"] } == ["1", "0", "0"])
    let race = page.all("failure").first { $0.attributes["type"] == "race" }
    #expect(race?.attributes["message"]?.hasSuffix("(2 of 3 trials)") == true)
    #expect(race?.text.contains("replay: interlock run") == true)
    #expect(suites.first?.attributes["timestamp"] == "2026-11-23T12:00:00")
  }

  @Test("Options that fail the run for more findings make more tests red")
  func strict() {
    var settings = ReportSettings()
    settings.failing.onPotential = true
    settings.failing.onSkipped = true
    let page = Page(Faults.text("junit", Faults.all, settings))
    let kinds = page.all("failure").compactMap { $0.attributes["type"] }
    #expect(kinds.contains("not-judged") && kinds.contains("potential-lock-order"))
    #expect(page.all("skipped").isEmpty)
  }

  @Test("GitHub gets at most ten annotations of a kind, and its summary has all findings")
  func tenOfAKind() {
    let results = (1...25).map { Faults.race(on: "users \($0)", subject: "cache-\($0)") }
    let lines = Faults.text("github", results).split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("::error ") } == 10)
    #expect(lines.last == "… 15 more of kind 'error': see the step's summary")
    let summary = Faults.text("github-summary", results)
    #expect(summary.hasPrefix("## Interlock: 25 errors, 0 warnings\n"))
    for number in 1...25 { #expect(summary.contains("'users \(number)'")) }
  }

  @Test("GitHub's summary stays below the size at which it is dropped")
  func summaryLimit() {
    let long = String(repeating: "é", count: 5000)
    let results = (1...1500).map { Faults.race(on: "\($0) \(long)", subject: "c\($0)") }
    let summary = Faults.text("github-summary", results)
    #expect(summary.utf8.count < 1_000_000)
    #expect(summary.contains("more; the other reports have them."))
  }
}

/// Texts that do harm if a reader takes them for more than text.
@Suite("Hostile text in a report for other programs")
struct HostileReportTests {
  static let texts = [
    "\"><script>alert(1)</script>", "]]>", "a%0A::error::b\n::warning::c\r\n::set-output::d",
    "\u{0}\u{1B}[2J\u{7}\u{FFFE}\u{202E}\u{2028}", "[x](http://evil)", "`|*_<b>|\\", "{0} {{",
    "file.swift:1:1: error: fake", "\u{1F469}\u{200D}\u{1F692}é", "", " ", "-", "../../etc",
  ]

  /// A result with the text in every name that the code under test can choose.
  private func result(_ text: String) -> TrialResult {
    var result = Faults.race(on: text, function: text, subject: text)
    result.trial.scenario.name = text
    var conflict = result.observation.conflicts[0]
    for frame in conflict.first.stack.indices {
      conflict.first.stack[frame].function = text
      conflict.first.stack[frame].file = text
      conflict.first.stack[frame].image = text
    }
    conflict.first.thread = text
    conflict.first.queue = text
    conflict.first.place.file = text
    conflict.instance = text
    result.observation.conflicts = [conflict]
    result.observation.errorOutput = text
    return Samples.judged(result.trial, result.observation)
  }

  @Test("JSON and XML stay whole with hostile texts", arguments: texts)
  func whole(_ text: String) throws {
    let results = [result(text), Samples.race]
    for name in ["sarif", "gitlab", "json"] {
      let value = try JSONReader.read(Array(Faults.text(name, results).utf8))
      let run = name == "sarif" ? value["runs"]?.list.first : value
      let found = name == "gitlab" ? value : run?["results"]
      #expect(found?.list.count == 2)
    }
    let page = Page(Faults.text("junit", results))
    #expect(page.error == nil)
    #expect(page.all("testcase").count == 2 && page.all("failure").count == 2)
    #expect(page.all("script").isEmpty)
  }

  @Test("Texts of 11 MB are cut, so that a reader of XML takes the file")
  func long() {
    // The last text is one character, with any number of marks.
    let texts =
      ["x", "<", "\u{1F469}"].map { String(repeating: $0, count: 11_000_000) }
      + ["e" + String(repeating: "\u{301}", count: 11_000_000)]
    for text in texts {
      var report = JUnitXML(properties: [], began: 0)
      report.add(
        text, in: "suite", seconds: 0, .failed(kind: text, message: text, lines: [text, text]),
        output: [text])
      report.add(text, in: "suite", seconds: 0, .skipped(reason: text))
      #expect(report.text.utf8.count < 2_000_000)
      #expect(Page(report.text).error == nil)
    }
  }

  @Test("A text of a report is cut to any length, also to none")
  func cutsTexts() {
    for most in [-1, 0, 1] { #expect(cutText("text", to: most) == "…") }
    #expect(cutText("text", to: 3) == "te…" && cutText("text", to: 4) == "text")
    #expect(cutText("", to: 0).isEmpty)
  }

  @Test("The lines of many tests are cut together in a report")
  func manyLines() {
    var report = JUnitXML(properties: [], began: 0)
    let output = [String](repeating: String(repeating: "&", count: 2000), count: 100)
    for number in 0..<200 {
      report.add("\(number)", in: "suite", seconds: 0, .passed, output: output)
    }
    #expect(report.text.utf8.count < 10_000_000)
    #expect(Page(report.text).error == nil)
    #expect(report.text.contains("…\n</system-out>"))
  }

  @Test("GitHub and Xcode get one finding a line, and no line of the text", arguments: texts)
  func lines(_ text: String) {
    let commands = Faults.text("github", [result(text)])
    #expect(commands.utf8.count { $0 == 0x0A } == 1)
    #expect(!commands.utf8.contains(0x0D) && !commands.utf8.contains(0x1B))
    let head = commands.dropFirst("::error ".count).prefix(while: { $0 != ":" })
    #expect(commands.hasPrefix("::error ") && head.hasSuffix("title=Interlock%3A race"))
    let xcode = Faults.text("xcode", [result(text)])
    #expect(xcode.split(separator: "\n").count == 2)
    #expect(!xcode.utf8.contains(0x1B))
    let summary = Faults.text("github-summary", [result(text)])
    #expect(!summary.contains("<") && !summary.contains("[x]("))
    // The row has its six bars; the text's bars are escaped.
    let row = summary.split(separator: "\n").last ?? ""
    #expect(row.replacing("\\\\", with: "").replacing("\\|", with: "").count { $0 == "|" } == 6)
  }

  @Test("A viewer of SARIF finds no link of a hostile text")
  func links() throws {
    let text = Faults.text("sarif", [result("[x](http://evil)")])
    // Only messages have links; names of functions and the like do not.
    let messages = text.matches(of: /"text": "((?:[^"\\]|\\.)*)"/).map(\.output.1)
    #expect(messages.contains { $0.contains("[x] (http") })
    #expect(!messages.contains { $0.contains("](http") })
  }
}
