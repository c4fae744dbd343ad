import Foundation
import StressRunner
import Testing

@testable import InterlockStress

@Suite("gate --check")
struct CheckResultsTests {
  /// The result of the check for a results file with a replaced part.
  private func check(
    _ test: TestWorld, replacing part: String = "", with other: String = ""
  ) throws -> (code: ExitCode, text: String) {
    let text = try test.read("out.json")
    #expect(part.isEmpty || text.contains(part))
    try (part.isEmpty ? text : text.replacing(part, with: other))
      .write(toFile: test.folder + "/checked.json", atomically: true, encoding: .utf8)
    let (out, errors) = (test.output.text.count, test.errors.text.count)
    let code = test.world.perform(["gate", "--check", test.folder + "/checked.json"])
    let answer = test.output.text.dropFirst(out) + test.errors.text.dropFirst(errors)
    return (code, String(answer).replacing(test.folder, with: "FOLDER"))
  }

  @Test("'gate --check' passes a whole run, but no interrupted run, even if all results are met")
  func interrupted() throws {
    let whole = try TestWorld()
    #expect(whole.run("--json", whole.folder + "/out.json") == .met)
    let passed = try check(whole)
    #expect(passed.code == .met)
    #expect(passed.text == "FOLDER/checked.json: 6 results as planned, none unmet\n")
    let cut = try TestWorld()
    cut.interruptAfter = 2
    #expect(cut.run("--json", cut.folder + "/out.json") == .interrupted)
    let failed = try check(cut)
    #expect(failed.code == .unmet)
    #expect(
      failed.text == "error: FOLDER/checked.json: expected 6 results as planned, found 2\n")
  }

  @Test("'gate --check' fails an unmet result, another schema, a cut file and a missing key")
  func faults() throws {
    let test = try TestWorld()
    #expect(test.run("--json", test.folder + "/out.json") == .met)
    for (part, other, message) in [
      ("\"unmet\": 0", "\"unmet\": 1", "expected 0 unmet, found 1"),
      ("\"met\": true", "\"met\": false", "expected 0 unmet, found 6"),
      ("\"schemaVersion\": 1", "\"schemaVersion\": 2", "must be 1, found 2"),
      (",\n    \"planned\": 6", "", "must hold \"planned\", found none"),
      ("\"planned\": 6\n  }\n}", "\"planned\": 6\n", "the file is cut short"),
      ("\"met\": 6", "\"met\": 5", "\"summary\" counts 5 results, found 6"),
      ("\"unmet\": 0", "\"unmet\": \(Int.max)", "results, found 6"),
    ] {
      let answer = try check(test, replacing: part, with: other)
      #expect(answer.code == .unmet)
      #expect(answer.text.contains(message))
    }
  }

  @Test("'gate --check' calls a missing file and a missing argument wrong usage")
  func usage() throws {
    let test = try TestWorld()
    #expect(test.world.perform(["gate", "--check"]) == .usage)
    #expect(test.world.perform(["gate", "--check", "/nowhere.json"]) == .usage)
  }

  @Test("'gate --check' fails a run in which every trial was skipped, which judged nothing")
  func skipped() throws {
    let test = try TestWorld()
    test.verdict = { _ in .skipped(reason: "needs 'get'") }
    #expect(test.run("--json", test.folder + "/out.json") == .unmet)
    let answer = try check(test)
    #expect(answer.code == .unmet && answer.text.contains("nothing was judged"))
  }
}
