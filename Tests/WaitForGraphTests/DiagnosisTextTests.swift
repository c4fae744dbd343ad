import Interlock
import Testing

@testable import HangReports
@testable import Hangs

/// Labels, places and cuts: the text is short, harmless, and equal for equal snapshots.
@Suite("The text of a diagnosis")
struct DiagnosisTextTests {
  typealias S = Snapshots

  @Test("the text of a diagnosis begins with the cause and indents the rest")
  func lines() throws {
    let snapshot = StarvationTests.cache(running: 4, queued: 996)
    let found = Explanation(try #require(Diagnosis(of: snapshot)), of: snapshot)
    let lines = DiagnosisText(found, width: nil).lines
    #expect(
      lines[0] == "deadlock (starvation): 4 of 4 threads of the default pool wait, "
        + "and what they wait for is queued behind them")
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  ") && !$0.hasPrefix("   ") })
    #expect(lines.count == 1 + found.details.count + found.advice.count)
  }

  @Test(
    "a text that is too long ends with the number of the lines that are left out",
    arguments: [2, 5, 24])
  func cut(most: Int) {
    let long = Explanation(
      cause: .cycle, isCertain: true, headline: "h", details: (0..<40).map { "line \($0)" })
    let lines = DiagnosisText(long, width: nil, mostLines: most).lines
    #expect(lines.count == most)
    #expect(lines.last == "  … and \(41 - most + 1) more lines")
    let short = Explanation(cause: .cycle, isCertain: true, headline: "h", details: ["one"])
    #expect(DiagnosisText(short, width: nil, mostLines: most).lines.count == 2)
  }

  @Test("the lines of a diagnosis fit the width, and no word is lost", arguments: [20, 33, 80])
  func width(columns: Int) throws {
    let snapshot = CycleTests.ring(3)
    let found = Explanation(try #require(Diagnosis(of: snapshot)), of: snapshot)
    let lines = DiagnosisText(found, width: columns, mostLines: 1000).lines
    #expect(lines.allSatisfy { $0.count <= columns })
    let words = lines.joined(separator: " ").split(separator: " ").joined()
    let whole = DiagnosisText(found, width: nil).lines.joined(separator: " ")
    #expect(words == whole.split(separator: " ").joined())
    let word = Explanation(
      cause: .cycle, isCertain: true, headline: String(repeating: "x", count: 300))
    #expect(
      DiagnosisText(word, width: columns, mostLines: 1000).lines.allSatisfy { $0.count <= columns })
  }

  @Test("control characters in labels are escaped, and long labels are cut")
  func labels() throws {
    func headline(_ label: String) throws -> String {
      let snapshot = S.process(
        [S.waiting(7, .queue, 0x10, runs: [S.run(0x10)])], [S.serial(0x10, label)])
      return Explanation.headline(try #require(Diagnosis(of: snapshot)), of: snapshot)
    }
    #expect(try headline("a\u{1b}[31m\nb\u{202e}").contains(#""a\u{1b}[31m\u{a}b\u{202e}""#))
    let long = try headline(String(repeating: "l", count: 500))
    #expect(long.contains("\"" + String(repeating: "l", count: 47) + "…\""))
    // Text of another process is escaped when it is shown.
    let alien = Explanation(cause: .unknown, isCertain: false, headline: "\u{1b}]0;x\u{7}\r\n")
    #expect(
      DiagnosisText(alien, width: nil).lines == [
        #"deadlock (unknown): \u{1b}]0;x\u{7}\u{d}\u{a}"#
      ])
  }

  @Test(
    "a queue without a label, a thread with a name and a place without a file have readable names"
  )
  func names() throws {
    var snapshot = S.process(
      [S.waiting(7, .queue, 0x10, runs: [S.run(0x10)])], [S.serial(0x10, "")])
    snapshot.threads[0].name = "worker"
    snapshot.threads[0].wait?.place = [
      StackFrame(address: 1, function: "partial apply for f()", file: "<compiler-generated>"),
      StackFrame(address: 2, function: "dispatch_sync", image: "libdispatch.so"),
      StackFrame(address: 3, function: "user()", image: "app"),
    ]
    let found = Explanation(try #require(Diagnosis(of: snapshot)), of: snapshot)
    #expect(
      found.headline
        == "thread 7 \"worker\" waits for a queue without a label 0x10, the queue that it is on")
    #expect(found.details[0] == "enters it again at user()  (app)")
    #expect(found.nodes.allSatisfy { !$0.title.isEmpty })
  }

  @Test("numbers of a diagnosis have commas between thousands")
  func numbers() {
    #expect(Counted.number(0) == "0")
    #expect(Counted.number(999) == "999")
    #expect(Counted.number(1_000) == "1,000")
    #expect(Counted.number(1_234_567) == "1,234,567")
    #expect(Counted.noun(1, "thread") == "1 thread")
    #expect(Counted.noun(0, "thread") == "0 threads")
  }
}
