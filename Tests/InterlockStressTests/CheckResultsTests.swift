import Foundation
import StressRunner
import Testing

@testable import InterlockStress

@Suite("ci/check-results.sh")
struct CheckResultsTests {
  /// The script's result for a results file with a part replaced.
  private func check(
    _ test: TestWorld, replacing part: String = "", with other: String = ""
  ) throws -> (code: Int32, text: String) {
    let text = try test.read("out.json")
    #expect(part.isEmpty || text.contains(part))
    let file = test.folder + "/checked.json"
    try (part.isEmpty ? text : text.replacing(part, with: other))
      .write(toFile: file, atomically: true, encoding: .utf8)
    return try runScript("check-results.sh", [file])
  }

  @Test("A whole run passes; an interrupted one does not, even if all its results are met")
  func interrupted() throws {
    let whole = try TestWorld()
    #expect(whole.run("--json", whole.folder + "/out.json") == .met)
    let passed = try check(whole)
    #expect(passed.code == 0 && passed.text == "check-results: 6 results as planned, none unmet\n")
    let cut = try TestWorld()
    cut.interruptAfter = 2
    #expect(cut.run("--json", cut.folder + "/out.json") == .interrupted)
    let failed = try check(cut)
    #expect(failed.code == 1)
    #expect(failed.text == "check-results: expected 6 results as planned, found 2\n")
  }

  @Test("An unmet result, another schema, a cut file and a missing key each fail")
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
    ] {
      let answer = try check(test, replacing: part, with: other)
      #expect(answer.code == 1)
      #expect(answer.text.contains(message))
    }
  }

  @Test("A missing file is wrong usage, and so is a missing argument")
  func usage() throws {
    #expect(try runScript("check-results.sh", []).code == 64)
    #expect(try runScript("check-results.sh", ["/nowhere.json"]).code == 64)
  }

  @Test("A run in which every trial was skipped judged nothing, and is no success")
  func skipped() throws {
    let test = try TestWorld()
    test.verdict = { _ in .skipped(reason: "needs 'get'") }
    #expect(test.run("--json", test.folder + "/out.json") == .unmet)
    let answer = try check(test)
    #expect(answer.code == 1 && answer.text.contains("nothing was judged"))
  }
}

/// Runs a script of `ci`; the text is both outputs.
func runScript(_ name: String, _ arguments: [String], in folder: String? = nil) throws -> (
  code: Int32, text: String
) {
  let ci = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "ci")
  let process = Process()
  let pipe = Pipe()
  process.executableURL = ci.appending(path: name)
  process.arguments = arguments
  if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
  process.standardOutput = pipe
  process.standardError = pipe
  process.standardInput = FileHandle.nullDevice
  try process.run()
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: data, as: UTF8.self))
}
