import Foundation
import TestSupport
import Testing

@Suite("a baseline of tests", .controlled, .offThePool)
struct BaselineTests {
  @Test(
    "the baseline of a run makes its issues warnings in the next run, and leaves others red",
    arguments: [
      ("swift-testing", "Stressed/watched", "Stressed/throwsError"),
      ("swift-testing", "Stressed/throwsError", "Stressed/expects"),
      ("swift-testing", "Stressed/expects", "Stressed/watched"),
      ("swift-testing", "Isolated/crashes", "Stressed/throwsError"),
      ("swift-testing", "Isolated/hangs", "Isolated/crashes"),
      ("swift-testing", "Together/", "Stressed/watched"),
      ("swift-testing", "Predicted/fails", "Together/"),
      ("xctest", "XCStressed/testStress", "XCStressed/testThrows"),
      ("xctest", "XCStressed/testThrows", "XCStressed/testStress"),
    ])
  func accepted(_ library: String, _ filter: String, _ other: String) throws {
    let file = NSTemporaryDirectory() + "interlock-\(UUID().uuidString).json"
    defer { try? FileManager.default.removeItem(atPath: file) }
    func run(_ filter: String, _ options: String) throws -> WatchedRun {
      try WatchedRun(
        library, filter, environment: ["INTERLOCK_OPTIONS": options], version: "6.3")
    }
    let first = try run(filter, "report=baseline:\(file)")
    #expect(first.status == 1, "\(first.output)")
    let again = try run(filter, "baseline=\(file)")
    let written = try String(contentsOfFile: file, encoding: .utf8)
    #expect(again.status == 0, "\(again.output)\(written)")
    if filter != "Stressed/expects" {
      #expect(again.output.contains("known (accepted on 2"), "\(again.output)")
    }
    let second = try run(other, "baseline=\(file) report=baseline:\(file)")
    #expect(second.status == 1, "\(second.output)\(written)")
    // The known findings stay in the file, with their reasons.
    let both = try String(contentsOfFile: file, encoding: .utf8)
    #expect(both.matches(of: /"kind"/).count > written.matches(of: /"kind"/).count, "\(both)")
    #expect(try run(other, "baseline=\(file)").status == 0)
  }

  @Test("an old conflict in a baseline does not end the rounds of a stress")
  func goesOn() throws {
    let file = NSTemporaryDirectory() + "interlock-\(UUID().uuidString).json"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let text = """
      {
        "schema": "interlock-known-findings", "schemaVersion": 1, "known": [],
        "suppress": [{ "kind": "race", "resource": "counter*", "reason": "old" }]
      }
      """
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    let run = try WatchedRun(
      "swift-testing", "Stressed/watched", environment: ["INTERLOCK_OPTIONS": "baseline=\(file)"])
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("500 rounds of 4 threads without an issue"), "\(run.output)")
  }

  @Test("a file that is no baseline stays as it is, and a line says so")
  func refused() throws {
    let file = NSTemporaryDirectory() + "interlock-\(UUID().uuidString).json"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try "mine".write(toFile: file, atomically: true, encoding: .utf8)
    let options = "baseline=\(file) report=baseline:\(file)"
    let run = try WatchedRun(
      "swift-testing", "Stressed/throwsError", environment: ["INTERLOCK_OPTIONS": options])
    #expect(run.status == 1, "\(run.output)")
    #expect(run.output.contains("INTERLOCK_OPTIONS: baseline: \(file):1: "), "\(run.output)")
    #expect(run.output.contains("the baseline is not updated: \(file):1: "), "\(run.output)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
  }
}
