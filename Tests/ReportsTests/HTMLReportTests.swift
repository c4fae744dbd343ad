import Foundation
import HangReports
import Interlock
import StressRunner
import Testing
import Hangs

@testable import Reports

/// The page of a run: complete, self-contained, and without markup from a subject.
@Suite("The page of a run")
struct HTMLReportTests {
  private static let hangs = [
    Hangs.certain, Hangs.result(Hangs.dryPool, subject: "cache"),
  ]

  private func html(_ results: [TrialResult], _ context: ReportContext = Samples.context) -> String
  {
    HTMLReport(results, of: results.map(\.trial), seconds: 12.34, context: context).text
  }

  private func page(_ results: [TrialResult]) -> Page { Page(html(results)) }

  @Test(
    "A page escapes markup, and spells out characters that XML or a reader cannot accept"
  )
  func escaping() {
    #expect(Markup.text("a & b < c > d \" e ' f") == "a &amp; b &lt; c &gt; d &quot; e &#39; f")
    #expect(Markup.text("\u{0}\n\u{1B}\u{202E}\u{2028}") == "\\u{0}\\u{a}\\u{1b}\\u{202e}\\u{2028}")
    #expect(Markup.text("\u{FFFE}\u{FFFF}") == "\\u{fffe}\\u{ffff}")
    #expect(Markup.text("schön 日本 👍") == "schön 日本 👍")
  }

  @Test("A page is well-formed XML, whatever is in it")
  func wellFormed() {
    for text in ["", "<a>", "<a><b></a>", "<a b=\"c\" b=\"d\"/>", "<a>&nbsp;</a>", "<a>\u{1}</a>"] {
      #expect(Page(text).error != nil, "\(text)")
    }
    for results in [
      [], Samples.all, Self.hangs, Samples.all + Self.hangs, [Hangs.hostileResult],
    ] {
      let page = page(results)
      #expect(page.error == nil)
      #expect(page.elements.first?.attributes["lang"] == "en")
      #expect(page.all("title").first?.text.contains("trial") == true)
    }
  }

  @Test("A page holds no element, attribute or address made up by a subject")
  func hostile() {
    let text = html([Hangs.hostileResult])
    let page = Page(text)
    #expect(page.all("img").isEmpty)
    #expect(page.all("script").map(\.text) == [PageScript.text])
    #expect(!page.elements.flatMap(\.attributes.keys).contains { $0.lowercased().hasPrefix("on") })
    #expect(!text.contains("</script><img"))
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
    // The text itself is on the page, to be read.
    #expect(page.all("body")[0].text.contains("</script><img src=x onerror='alert(1)'>\"&\\u{1b}"))
  }

  @Test("A page loads nothing, and links only to itself")
  func selfContained() {
    let text = html(Samples.all + Self.hangs)
    let page = Page(text)
    #expect(page.values("src").isEmpty && page.all("link").isEmpty)
    #expect(!text.contains("@import"))
    #expect(text.matches(of: /url\(/).count == text.matches(of: /url\(#/).count)
    let addresses = text.matches(of: /https?:[^"]*/).map { String($0.output) }
    #expect(Set(addresses) == ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"])
    let ids = page.values("id")
    #expect(Set(ids).count == ids.count)
    let targets = page.values("href")
    #expect(!targets.isEmpty)
    for target in targets {
      #expect(target.hasPrefix("#") && ids.contains(String(target.dropFirst())))
    }
  }

  @Test("A page runs only the script that its policy names by its hash")
  func policy() throws {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sha256sum"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    input.fileHandleForWriting.write(Data(PageScript.text.utf8))
    try input.fileHandleForWriting.close()
    let digits = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let hexadecimal = Array(digits.prefix(64))
    let bytes = stride(from: 0, to: hexadecimal.count, by: 2).compactMap {
      UInt8(String(hexadecimal[$0..<$0 + 2]), radix: 16)
    }
    #expect(Data(bytes).base64EncodedString() == PageScript.hash)
    #expect(html([]).contains("script-src &#39;sha256-\(PageScript.hash)&#39;"))
  }

  @Test("A page has one first-level heading, and no heading skips a level")
  func headings() {
    let levels = page(Samples.all + Self.hangs).elements.compactMap { element in
      ["h1", "h2", "h3", "h4"].firstIndex(of: element.name)
    }
    #expect(levels.first == 0 && levels.count { $0 == 0 } == 1)
    for (one, next) in zip(levels, levels.dropFirst()) { #expect(next <= one + 1) }
  }

  @Test("A page has a cell for each pair, with a link to the diagnosis if there is one")
  func table() throws {
    let page = page(Samples.all + Self.hangs)
    let cells = page.all("td").map(\.text)
    #expect(cells.contains("✗ race 2/3, why") && cells.contains("– skipped"))
    #expect(cells.count { $0 == "✓ deadlock, why" } == 2)
    #expect(cells.contains("✗ deadlock, why"))
    #expect(page.all("h2").map(\.text).contains("transfers on bank"))
    #expect(page.all("li").contains { $0.text.contains("unlocked: race, expected passed") })
    let planned = HTMLReport(
      [], of: [Samples.race.trial], seconds: 0, context: Samples.context)
    #expect(Page(planned.text).all("td").map(\.text) == ["not judged"])
  }

  @Test("A page explains each hang: the lines, the parts with their stacks, the command")
  func section() throws {
    let page = page(Self.hangs)
    let diagnosis = try #require(Hangs.certain.explanation)
    let lines = page.all("li").map(\.text)
    for line in diagnosis.details + diagnosis.advice { #expect(lines.contains(line)) }
    let parts = page.all("details")
    #expect(parts.count >= diagnosis.nodes.count)
    let teller = try #require(
      parts.first { $0.attributes["id"] != nil && $0.text.contains("thread 11 \"teller\"") })
    #expect(teller.text.contains("in the cycle"))
    #expect(teller.text.contains("transfer(to:)  Bank.swift:21"))
    #expect(
      page.all("code").contains { $0.text == "interlock run transfers --subject bank --seed 1" })
    #expect(page.all("p").contains { $0.text.contains("Certain: nothing") })
    #expect(page.all("p").contains { $0.text.hasPrefix("Judged by the stall window") })
  }

  @Test("A page explains one trial of each pair, and counts the trials like it")
  func repeated() {
    let page = page([Hangs.certain, Hangs.certain, Hangs.certain])
    #expect(page.all("section").count == 1)
    #expect(page.all("p").contains { $0.text.contains("(3 of 3 trials)") })
  }

  @Test("A page fits every screen: no picture, text or table is wider than the page")
  func width() {
    let page = page(Samples.all + Self.hangs)
    for picture in page.all("svg") where !picture.parents.contains("svg") {
      #expect(
        picture.attributes["width"] == "100%"
          || picture.attributes["class"] == "graph" && picture.attributes["viewBox"] != nil)
    }
    for rule in [
      "svg.graph { max-width: 100%; height: auto; }", "white-space: pre-wrap",
      ".matrix td::before { content: attr(data-label)",
    ] { #expect(PageStyle.css.contains(rule)) }
    let cells = page.all("td").filter { $0.attributes["data-label"] != nil }
    #expect(cells.contains { $0.attributes["data-label"] == "concurrent-reads" })
  }

  @Test("A page says why there is no diagnosis, if the build is the reason")
  func blindness() {
    var context = Samples.context
    context.sight = .sanitized
    #expect(html([Hangs.result(nil)], context).contains("ThreadSanitizer is built in"))
    #expect(!html([Hangs.certain], context).contains("ThreadSanitizer"))
  }
}
