import Foundation
import Reports
import StressRunner
import Testing

@testable import InterlockStress

/// `trend` on the records that runs have left.
@Suite("'trend'")
struct TrendCommandTests {
  /// Records a run of a commit, below the folder `records`.
  private func record(
    _ test: TestWorld, _ path: String, commit: String?, began: Int, _ arguments: String...
  ) throws {
    let file = test.folder + "/records/" + path
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    var world = test.world
    world.commit = { commit }
    world.began = began
    _ = world.perform(
      ["run", "--record", file, "--scenarios", test.folder + "/StressScenarios"] + arguments)
  }

  private func trend(_ test: TestWorld, _ arguments: String...) -> (code: ExitCode, text: String) {
    let before = test.output.text.count
    let code = test.world.perform(["trend", test.folder + "/records"] + arguments)
    return (code, String(test.output.text.dropFirst(before)))
  }

  @Test("Runs are in the order of time, by commit, and a verdict that changed is shown")
  func runs() throws {
    let test = try TestWorld()
    try record(test, "b.jsonl", commit: "aaaaaaaaaaaaaaaaaaaa", began: 1_795_000_000)
    test.verdict = { .any($0.subject == "good" && $0.scenario.name == "writes" ? .race : .passed) }
    try record(test, "a.jsonl", commit: "bbbbbbbbbbbbbbbbbbbb", began: 1_795_086_400)
    let (code, text) = trend(test, "--html", test.folder + "/trend.html")
    #expect(code == .met, "\(test.errors.text)")
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "2 runs, 6 pairs of scenario and subject")
    #expect(lines[2].hasPrefix("2026-11-18 11:06  aaaaaaaaaaaa    6      0 "))
    #expect(lines[3].hasPrefix("2026-11-19 11:06  bbbbbbbbbbbb    4      2 "))
    #expect(
      text.contains(
        "  ✓✗  writes on good: ✓ passed → ✗ race in 2026-11-19 11:06  bbbbbbbbbbbb\n"))
    #expect(text.contains("  ✓✗  reads on bad: ✓ race → ✗ passed in "))
    let page = try test.read("trend.html")
    #expect(page.contains("what changed over 2 runs") && page.hasSuffix("</html>\n"))
  }

  @Test("Shards of one run are one run, and a trial that was not judged is missing")
  func shards() throws {
    let test = try TestWorld()
    for number in 1...2 {
      try record(
        test, "\(number).jsonl", commit: "c", began: 100 + number, "--shard", "\(number)/2")
    }
    test.interruptAfter = 2
    try record(test, "later/1.jsonl", commit: nil, began: 86_400)
    let (code, text) = trend(test)
    #expect(code == .met)
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(lines[0][0] == "2" && lines[0][1] == "runs,")
    // Met, unmet, skipped and missing, after the day, the time and the commit.
    #expect(lines[2].dropFirst(3).prefix(4) == ["6", "0", "0", "0"])
    #expect(lines[3].dropFirst(2).prefix(4) == ["2", "0", "0", "4"])
  }

  @Test("No folder, an empty one, and a file that is no record are one line each")
  func wrong() throws {
    let test = try TestWorld()
    #expect(test.world.perform(["trend"]) == .usage)
    #expect(test.errors.text.contains("'trend' needs a folder with records"))
    try FileManager.default.createDirectory(
      atPath: test.folder + "/records", withIntermediateDirectories: true)
    #expect(trend(test).code == .badScenario)
    #expect(test.errors.text.contains("holds no record"))
    try "{}\n".write(toFile: test.folder + "/records/a.jsonl", atomically: true, encoding: .utf8)
    #expect(trend(test).code == .badScenario)
    #expect(test.errors.text.contains("a.jsonl:1: is no record"))
    #expect(trend(test, "--html", "/nowhere/a.html").code == .usage)
  }
}
