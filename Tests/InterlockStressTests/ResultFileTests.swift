import Foundation
import Reports
import StressRunner
import Testing

@testable import InterlockStress

/// Files of results on a full disk, and under signals.
@Suite("A file of results")
struct ResultFileTests {
  private static func makeResult(_ index: Int) -> TrialResult {
    let scenario = Scenario(
      name: "s", summary: "s", source: "s",
      workload: Workload(
        driver: .threads, phases: [.init(callers: 1, rounds: 1, operations: .sequence([.get]))],
        keys: 1, valueBytes: 0, preparesAllKeys: false, seed: 1),
      limits: Limits(), oracles: [], expectations: [:])
    let trial = Trial(scenario: scenario, subject: "subject-\(index)", seed: 1)
    return .skipped(trial, because: String(repeating: "x", count: 300))
  }

  @Test("A file of results ends with the last whole result if the disk is full, with the reason")
  func fullDisk() async throws {
    let path = NSTemporaryDirectory() + "/full-\(UUID().uuidString).json"
    defer { unlink(path) }
    // In a separate process, which limits files to 10,000 bytes. The rest of a write is lost, as on
    // a full disk.
    await #expect(processExitsWith: .success) { [path = path as String] in
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 10_000, rlim_max: 10_000)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let context = ReportContext(
        version: "1", host: .init(system: "s", cores: 1, swift: "s"), seed: 1, command: "interlock",
        replay: .init(), sight: .everything)
      guard
        let file = try? GrowingReport(
          JSONReport(), path: path, option: "json", of: .run, output: TextBuffer())
      else { exit(1) }
      var summary = ReportSummary()
      file.begin([], context, summary)
      for index in 0..<100 {
        let result = Self.makeResult(index)
        summary.add(result)
        file.result(result, summary)
      }
      file.end(summary)
      exit(file.failure == "File too large" ? 0 : 2)
    }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let count = try results(in: text)
    #expect(count > 2 && count < 40)
    #expect(text.contains("\"subject-\(count - 1)\""))
    #expect(!text.contains("\"subject-\(count)\""))
    #expect(text.utf8.count <= 10_000)
  }

  @Test(
    "A file of results leaves no half page if a signal arrives while it is written",
    arguments: [SIGTERM, SIGINT])
  func signalled(number: Int32) async throws {
    let folder = NSTemporaryDirectory() + "/page-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    await #expect(processExitsWith: .success) {
      [folder = folder as String, number = number as Int32] in
      guard let file = try? FinishedFile(path: folder + "/out.html", option: "html", of: .run)
      else { exit(1) }
      // Ends the process as without a handler, but with a passing code: the test checks the folder.
      signal(number) { _ in _exit(0) }
      // The signal comes once the draft exists.
      Thread {
        let names = { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }
        while names().isEmpty {}
        kill(getpid(), number)
      }.start()
      let failure = file.write(String(repeating: "x", count: 128 << 20))
      exit(failure == nil ? 0 : 2)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["out.html"])
    let size = try FileManager.default.attributesOfItem(atPath: folder + "/out.html")[.size]
    #expect(size as? Int == 128 << 20)
  }

  @Test("A file of results is not made longer by the name of a subject that 'list' shows")
  func longName() throws {
    let test = try TestWorld()
    let name = String(repeating: "n", count: 10 << 20)
    test.moreSubjects = [SubjectEntry(name: name, summary: "is long") { IdleSubject() }]
    #expect(test.run("list") == .met)
    #expect(test.output.text.utf8.count < 10_000)
    #expect(test.output.text.contains("\(name.prefix(60))…  is long\n"))
    #expect(test.run("--subject", "xyzzyx") == .usage)
  }
}
