import Foundation
import Findings
import Reports
import StressRunner
import Testing

@testable import InterlockStress

/// Old findings, which a run shows without failing.
@Suite("The option --baseline of 'run' and 'explore'")
struct BaselineOptionTests {
  /// A world in which every trial of `bad` races, and its baseline.
  private func world() throws -> (TestWorld, String) {
    let test = try TestWorld()
    try FileManager.default.removeItem(atPath: test.folder + "/StressScenarios/reads.json")
    test.verdict = { .any($0.subject == "bad" ? .race : .passed) }
    return (test, test.folder + "/known.json")
  }

  private func write(_ text: String, _ path: String) throws {
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  private func file(_ known: String, suppress: String = "[]") -> String {
    """
    { "schema": "interlock-known-findings", "schemaVersion": 1,
      "known": \(known),
      "suppress": \(suppress) }
    """
  }

  private let race = #"{"kind": "race", "resource": "users", "functions": ["f()"], "reason": "old""#

  @Test("A finding written by --update-baseline is shown and not failed; a second bug is red")
  func roundTrip() throws {
    let (test, path) = try world()
    #expect(test.run("--baseline", path, "--update-baseline") == .met)
    #expect(test.output.text.contains("written with 1 known finding, 1 new, 0 removed"))
    #expect(test.run("--baseline", path) == .met)
    #expect(test.output.text.contains("1 known finding shown and not failed"))
    #expect(test.output.text.contains("✓ 3 trials: 2 met, 1 unmet (1 known), 0 skipped"))
    #expect(test.output.text.contains("  known: 'users': a writer at A.swift:1"))
    test.verdict = { trial in .any(trial.subject == "good" ? .violation : .race) }
    #expect(test.run("--baseline", path) == .unmet)
  }

  @Test("A baseline is sorted, has a line for each finding, and does not change by itself")
  func stable() throws {
    let (test, path) = try world()
    let kinds: [String: Verdict.Kind] = ["bad": .race, "good": .crashed]
    test.verdict = { .any(kinds[$0.subject] ?? .timedOut) }
    #expect(test.run("--baseline", path, "--update-baseline") == .met)
    let first = try test.read("known.json")
    let written = first.matches(of: /\n    {"kind": "([a-z-]+)"/).map(\.output.1)
    #expect(written == ["crash", "race", "time-limit"])
    #expect(first.contains(#""reason": "accepted by --update-baseline on 1970-01-01""#))
    #expect(!first.contains("A.swift"))
    #expect(test.run("--baseline", path, "--update-baseline") == .met)
    #expect(try test.read("known.json") == first)
    let names = try FileManager.default.contentsOfDirectory(atPath: test.folder)
    #expect(Set(names) == ["known.json", "StressScenarios"])
  }

  @Test("A user's reason and expiry stay in a baseline; after its last day a finding is red again")
  func expiry() throws {
    let (test, path) = try world()
    try write(file("[\(race), \"until\": \"1970-01-01\"}]"), path)
    #expect(test.run("--baseline", path) == .met)
    #expect(test.run("--baseline", path, "--update-baseline") == .met)
    #expect(try test.read("known.json").contains(#""reason": "old", "until": "1970-01-01""#))
    try write(file("[\(race), \"until\": \"1969-12-31\"}]"), path)
    #expect(test.run("--baseline", path) == .unmet)
    #expect(test.output.text.contains("expired: race on 'users' in f(), known until 1969-12-31"))
  }

  @Test("A suppression by pattern holds only for the findings that match it")
  func suppression() throws {
    let (test, path) = try world()
    try write(
      file("[]", suppress: #"[{"kind": "race", "resource": "us*", "reason": "legacy"}]"#), path)
    #expect(test.run("--baseline", path) == .met)
    try write(
      file("[]", suppress: #"[{"kind": "race", "resource": "user", "reason": "legacy"}]"#), path)
    #expect(test.run("--baseline", path) == .unmet)
    #expect(test.output.text.contains("stale: pattern race on 'user' in *"))
  }

  @Test("A baseline's entry that no trial shows any more is reported as stale, and red on request")
  func stale() throws {
    let (test, path) = try world()
    #expect(test.run("--baseline", path, "--update-baseline") == .met)
    test.verdict = { _ in .passed }
    #expect(test.run("--baseline", path) == .met)
    #expect(test.output.text.contains("stale: race on 'users' in f() (line 5)"))
    #expect(test.run("--baseline", path, "--fail-on", "stale") == .unmet)
    // A trial that was not run makes no entry stale.
    #expect(test.run("--baseline", path, "--fail-on", "stale", "--subject", "good") == .met)
    #expect(test.run("explore", "writes", "--baseline", path, "--fail-on", "stale") == .met)
    #expect(test.run("--baseline", path, "--update-baseline", "--subject", "good") == .met)
    #expect(try test.read("known.json").contains("users"))
    #expect(test.run("--baseline", path, "--update-baseline") == .met)
    #expect(test.output.text.contains("written with 0 known findings, 0 new, 1 removed"))
  }

  @Test("Repeats of a finding are counted, and never turn a new finding green")
  func repeats() throws {
    let (test, path) = try world()
    var count = 0
    test.verdict = { trial in
      guard trial.subject == "bad" else { return .any(.passed) }
      count += 1
      return .any(count % 3 == 0 ? .race : .passed)
    }
    let sarif = test.folder + "/a.sarif"
    #expect(test.run("--repeat", "9", "--sarif", sarif) == .unmet)
    #expect(try test.read("a.sarif").contains("3 of 9 trials"))
    #expect(test.run("--repeat", "9", "--baseline", path, "--update-baseline") == .met)
    #expect(test.run("--repeat", "9", "--baseline", path, "--sarif", sarif) == .met)
    let text = try test.read("a.sarif")
    #expect(text.contains(#""baselineState": "unchanged""#))
    #expect(text.contains(#""justification": "accepted by --update-baseline on 1970-01-01""#))
  }

  @Test("An old finding is a skipped test in JUnit and a notice in GitHub")
  func formats() throws {
    let (test, path) = try world()
    #expect(test.run("--baseline", path, "--update-baseline") == .met)
    let junit = test.folder + "/a.xml"
    #expect(test.run("--baseline", path, "--junit", junit, "--github") == .met)
    let text = try test.read("a.xml")
    #expect(text.contains("failures=\"0\"") && text.contains("skipped=\"1\""))
    #expect(test.output.text.contains("\n::notice "))
    #expect(!test.output.text.contains("::error"))
  }

  @Test("A run that ended early does not change the baseline")
  func early() throws {
    let (test, path) = try world()
    try write(file("[\(race)}]"), path)
    let before = try test.read("known.json")
    test.interruptAfter = 1
    #expect(test.run("--baseline", path, "--update-baseline") == .interrupted)
    #expect(try test.read("known.json") == before)
    #expect(test.output.text.contains("is not updated: the run ended early"))
  }

  @Test("Options that do nothing without a baseline are mistakes")
  func usage() throws {
    let (test, _) = try world()
    #expect(test.run("--update-baseline") == .usage)
    #expect(test.run("--fail-on", "stale") == .usage)
    #expect(test.errors.text.contains("'--fail-on stale' needs '--baseline <file>'"))
  }

  @Test("A run that selects no trial has its own exit code")
  func nothing() throws {
    let test = try TestWorld()
    try test.write(
      """
      { "name": "own", "summary": "of good alone", "source": "a test",
        "subjects": ["good"],
        "workload": { "driver": "tasks", "phases": [{ "callers": 2, "operations": ["set"] }] } }
      """, "own.json")
    #expect(test.run("own", "--subject", "mutex") == .nothingSelected)
    #expect(ExitCode.nothingSelected.rawValue == 4)
  }
}

@Suite("A baseline that cannot be read")
struct BrokenBaselineTests {
  private static let start = #"{"schema": "interlock-known-findings", "schemaVersion": 1, "#
  private static let entry =
    #"{"kind": "race", "resource": "users", "functions": ["f()"], "reason": "old"}"#

  static let files: [(text: String, message: String)] = [
    ("", "expected a value, found the end of the file"),
    (start + "\"known\": [\n" + entry.dropLast(5), "expected a closing quotation mark"),
    (#"{"schema": "interlock-known-findings", "schemaVersion": 2}"#, "'schemaVersion' must be 1"),
    (#"{"schema": "other"}"#, "'schema' must be \"interlock-known-findings\", found \"other\""),
    ("[]", "a baseline must be an object, found a list"),
    (
      start + "\"known\": [\(entry),\n\(entry)], \"suppress\": []}",
      "2: the same finding is already"
    ),
    (start + "\"known\": [], \"known\": []}", "found 'known' again"),
    (start + "\"known\": [\(entry)], \"suppress\": 7}", "'suppress' must be a list, found 7"),
    (start + "\"known\": [], \"suppress\": [], \"more\": 1}", "expected one of schema"),
    (start + #""known": [{"kind": "raze"}], "suppress": []}"#, "'kind' must be a kind of finding"),
    (
      start + #""known": [{"kind": "race", "resource": "a", "functions": [], "reason": " "}]}"#,
      "'reason' must be a reason"
    ),
    (
      start + "\"known\": [\(entry.dropLast()), \"until\": \"2026-02-30\"}]}",
      "'until' must be a day as in 2026-12-31, found \"2026-02-30\""
    ),
    (
      start + #""known": [], "suppress": [{"reason": "all"}]}"#,
      "a suppression must not match every finding"
    ),
    (String(repeating: "[", count: 100_000), "nested deeper than"),
    (start + "\"known\": \"\u{1B}[2J\u{0}\"}", "control character"),
  ]

  @Test("Each fault of a baseline is one line with its place, and nothing is run", arguments: files)
  func fault(_ file: (text: String, message: String)) throws {
    let test = try TestWorld()
    let path = test.folder + "/known.json"
    try file.text.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(test.run("--baseline", path) == .badScenario)
    #expect(test.errors.text.contains(file.message), "\(test.errors.text)")
    #expect(test.errors.text.utf8.count { $0 == 0x0A } == 1)
    #expect(!test.errors.text.contains("\u{1B}"))
    #expect(test.trials.isEmpty)
    // The broken file is not overwritten either.
    #expect(test.run("--baseline", path, "--update-baseline") == .badScenario)
    #expect(try test.read("known.json") == file.text)
  }

  @Test("A baseline that is missing, a folder, a pipe or too large is one line too")
  func kinds() throws {
    let test = try TestWorld()
    #expect(test.run("--baseline", test.folder + "/none.json") == .badScenario)
    #expect(test.run("--baseline", test.folder) == .badScenario)
    let pipe = test.folder + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(test.run("--baseline", pipe) == .badScenario)
    let large = test.folder + "/large.json"
    #expect(FileManager.default.createFile(atPath: large, contents: nil))
    // A sparse file, which takes no room on the disk.
    #expect(truncate(large, 1 << 30) == 0)
    #expect(test.run("--baseline", large) == .badScenario)
    #expect(test.errors.text.contains("has 1073741824 bytes, expected at most 16777216"))
    #expect(test.errors.text.split(separator: "\n").count == 4)
  }
}
