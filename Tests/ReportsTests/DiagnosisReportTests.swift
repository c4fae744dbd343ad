import HangReports
import Interlock
import Findings
import StressRunner
import Testing
import TestSupport
import Hangs

@testable import Reports

/// A diagnosis in the text and in the JSON.
@Suite("A diagnosis in a report")
struct DiagnosisReportTests {
  private func evidence(_ result: TrialResult, isVerbose: Bool = false) -> [String] {
    EvidenceText(
      context: Samples.context, style: TextStyle(color: false), isVerbose: isVerbose
    ).lines(result, times: 1, of: 1)
  }

  private func report(_ results: [TrialResult], sight: ReportContext.Sight) -> String {
    var context = Samples.context
    context.sight = sight
    return TextReport(context: context, style: TextStyle(color: false), isVerbose: false)
      .text(results, of: results.map(\.trial), seconds: 1, width: 100)
  }

  @Test("A diagnosis is below the progress, and does not repeat a headline that the verdict has")
  func text() throws {
    let diagnosis = try #require(Hangs.certain.explanation)
    let lines = evidence(Hangs.certain)
    let start = try #require(lines.firstIndex(of: "  diagnosis:"))
    #expect(lines[start - 1].contains("0.50 s in all"))
    for line in diagnosis.details + diagnosis.advice { #expect(lines.contains("    " + line)) }
    #expect(lines.filter { $0.contains(diagnosis.headline) }.count == 1)
    #expect(!lines.contains { $0.contains("deadlock (cycle): ") && $0.hasPrefix("   ") })
  }

  @Test("A diagnosis has its headline if the verdict's cause is from threads and pools")
  func overruled() throws {
    var waits = WaitSnapshot(threads: [
      WaitSnapshot.Thread(id: 1, wait: .init(kind: .semaphore, object: 9))
    ])
    waits.isPartial = true
    let result = Hangs.result(waits) { seen in
      seen.threads = Samples.deadlock.observation.threads
      seen.threadCounts = [.init(seconds: 0.1, threads: 2), .init(seconds: 2.9, threads: 4)]
      seen.seconds = 3
      seen.detectionSeconds = 2
    }
    #expect(verdictText(result.verdict) == "deadlock (starvation)")
    let diagnosis = try #require(result.explanation)
    #expect(diagnosis.cause == .lostWakeUp)
    let lines = evidence(result)
    let start = try #require(
      lines.firstIndex { $0.hasPrefix("  judged by the stall window: the diagnosis") })
    #expect(lines[start + 1] == "    " + diagnosis.headline)
  }

  @Test("An uncertain diagnosis says so, and a certain one does not")
  func certainty() {
    let likely = evidence(Hangs.likely)
    #expect(
      likely.contains("  judged by the stall window: the diagnosis is likely, not certain:"))
    #expect(!evidence(Hangs.certain).contains { $0.contains("certain") })
  }

  @Test("A diagnosis is cut with a count, unless all is requested")
  func cut() {
    let diagnosis = Explanation(
      cause: .cycle, isCertain: true, headline: "h", details: (0..<40).map { "line \($0)" })
    let short = DiagnosisLines(diagnosis, hasHeadline: true, limit: 24)
    #expect(short.lines.count == 25 && short.left == 17)
    let all = DiagnosisLines(diagnosis, hasHeadline: true, limit: .max)
    #expect(all.lines.count == 42 && all.left == 0)
  }

  @Test("No diagnosis is shown if the child continued, or its calls were not seen")
  func none() {
    #expect(Hangs.result(nil).verdict.diagnosis == nil)
    let passed = Hangs.result(Hangs.ring) { seen in
      seen.ending = .exited(code: 0)
      seen.finished = true
      seen.completed = 2
    }
    #expect(passed.verdict.diagnosis == nil)
    #expect(!evidence(passed).contains { $0.contains("diagnosis") })
    let trapped = Hangs.result(Hangs.trap) { $0.ending = .signalled(number: 4) }
    #expect(trapped.verdict.diagnosis?.cause == .self)
  }

  @Test("A diagnosis moves no cursor, whatever names the subject has")
  func harmless() {
    let text = evidence(Hangs.hostileResult, isVerbose: true).joined(separator: "\n")
    #expect(!text.contains("\u{1B}") && !text.contains("\u{0}") && !text.contains("\u{202E}"))
  }

  @Test("A diagnosis that the build cannot make is explained once, in one line, for a deadlock")
  func blindness() {
    let blind = [Hangs.result(nil), Hangs.result(nil, subject: "other")]
    for sight in ReportContext.Sight.allCases {
      let notes = report(blind, sight: sight).split(separator: "\n")
        .filter { $0.contains("no diagnosis: this build does not see") }
      #expect(notes.count == (sight == .everything ? 0 : 1))
    }
    #expect(report(blind, sight: .sanitized).contains("ThreadSanitizer is built in"))
    #expect(!report([Hangs.certain], sight: .withoutDispatch).contains("no diagnosis"))
    let passed = Samples.result(Samples.reads, "mutex")
    #expect(!report([passed], sight: .sanitized).contains("no diagnosis"))
  }

  @Test("A diagnosis in the JSON is whole, or null")
  func json() throws {
    expectGolden(JSONReport.entry(Hangs.certain) + "\n", "diagnosis.json")
    let value = try JSONReader.read(Array(JSONReport.entry(Hangs.likely).utf8))
    let diagnosis = try #require(member("diagnosis", of: value))
    #expect(member("certain", of: diagnosis)?.content == .bool(false))
    #expect(member("cause", of: diagnosis)?.content == .string("starvation"))
    let none = try JSONReader.read(Array(JSONReport.entry(Hangs.result(nil)).utf8))
    #expect(member("diagnosis", of: none)?.content == .null)
  }

  private func member(_ key: String, of value: JSONValue) -> JSONValue? {
    guard case .object(let members) = value.content else { return nil }
    return members.first { $0.key == key }?.value
  }
}
