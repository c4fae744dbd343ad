import Foundation
import Interlock
import Prediction
import Reports
import StressRunner
import Testing

@testable import InterlockStress

/// A run that several machines share, or that is resumed.
@Suite("Shards, records and 'merge'")
struct RecordTests {
  /// A world with ten subjects, one of which races.
  private func world() throws -> TestWorld {
    let test = try TestWorld()
    test.subjects = ["bad"] + (1...9).map { "cache-\($0)" }
    // `reads` expects a race of `bad`.
    test.verdict = { .any($0.subject == "bad" ? .race : .passed) }
    return test
  }

  private func run(_ test: TestWorld, _ arguments: String...) -> ExitCode { test.run(arguments) }

  /// The text of a file without the parts that differ between machines.
  private func plain(_ text: String) -> String {
    text.replacing(/"seconds": [0-9.]+/, with: "").replacing(/time="[0-9.]+"/, with: "")
  }

  @Test("Every trial is in one shard, and all trials of a pair in the same, also if more are added")
  func shards() throws {
    let scenario = Scenario(
      name: "reads", summary: "", source: "",
      workload: Workload(
        driver: .tasks, phases: [.init(callers: 1, rounds: 1, operations: .sequence([.get]))],
        keys: 1, valueBytes: 1, preparesAllKeys: false, seed: 1),
      limits: Limits(), oracles: [], expectations: [:])
    var counts = [Int](repeating: 0, count: 4)
    for number in 0..<1000 {
      let trial = Trial(scenario: scenario, subject: "subject-\(number)", seed: 1)
      let shards = (1...4).filter { Shard(number: $0, count: 4).has(trial) }
      #expect(shards.count == 1)
      counts[shards[0] - 1] += 1
      var other = trial
      other.seed = 7
      #expect(Shard(number: shards[0], count: 4).has(other))
    }
    // Each shard has a quarter, within five standard deviations.
    #expect(counts.allSatisfy { abs($0 - 250) < 70 }, "\(counts)")
    #expect(Shard.read("2/4") == Shard(number: 2, count: 4))
    for text in ["0/4", "5/4", "1/0", "a/b", "1", "1/2/3", "", "1/99999"] {
      #expect(Shard.read(text) == nil, "\(text)")
    }
  }

  @Test("Shards that are merged report what one run reports, with its exit code")
  func merged() throws {
    let test = try world()
    let alone = ["--json", test.folder + "/a.json", "--junit", test.folder + "/a.xml"]
    #expect(test.run(alone + ["--sarif", test.folder + "/a.sarif"]) == .unmet)
    let whole = test.output.text
    var codes: [ExitCode] = []
    for number in 1...3 {
      let shard = try world()
      shard.interruptAfter = nil
      let record = "\(test.folder)/records/shard-\(number).jsonl"
      try FileManager.default.createDirectory(
        atPath: test.folder + "/records", withIntermediateDirectories: true)
      codes.append(
        shard.world.perform([
          "run", "--shard", "\(number)/3", "--record", record, "--scenarios",
          test.folder + "/StressScenarios",
        ]))
      #expect(shard.trials.count < 20)
    }
    #expect(codes.count { $0 == .unmet } == 1)
    let merge = TestWorldOutput(test)
    #expect(
      merge.perform([
        "merge", test.folder + "/records", "--json", test.folder + "/b.json", "--junit",
        test.folder + "/b.xml", "--sarif", test.folder + "/b.sarif",
      ]) == .unmet)
    for name in ["json", "xml", "sarif"] {
      #expect(
        try plain(test.read("b." + name)) == plain(test.read("a." + name)), "\(name)")
    }
    #expect(whole.contains("20 trials: 19 met, 1 unmet"))
    #expect(merge.text.contains("20 trials: 19 met, 1 unmet"))
  }

  /// Performs commands that run nothing, with a separate output.
  private final class TestWorldOutput {
    private let test: TestWorld
    private let before: String
    private let errorsBefore: String

    init(_ test: TestWorld) {
      self.test = test
      before = test.output.text
      errorsBefore = test.errors.text
    }

    func perform(_ arguments: [String]) -> ExitCode { test.world.perform(arguments) }
    var text: String { String(test.output.text.dropFirst(before.count)) }
    var errors: String { String(test.errors.text.dropFirst(errorsBefore.count)) }
  }

  @Test("A baseline turns a merged run green, and a shard that is missing never does")
  func baseline() throws {
    let test = try world()
    let known = test.folder + "/known.json"
    for number in 1...2 {
      let record = "\(test.folder)/\(number).jsonl"
      _ = run(test, "--shard", "\(number)/2", "--record", record)
    }
    let records = [test.folder + "/1.jsonl", test.folder + "/2.jsonl"]
    #expect(
      test.world.perform(["merge", "--baseline", known, "--update-baseline"] + records) == .met)
    #expect(test.world.perform(["merge", "--baseline", known] + records) == .met)
    #expect(test.world.perform(["merge"] + records) == .unmet)
    #expect(test.world.perform(["merge", records[0]]) == .badScenario)
    #expect(test.errors.text.contains("the record of shard 2 of 2 is missing"))
    #expect(test.world.perform(["merge", records[0]] + records) == .badScenario)
    #expect(test.errors.text.contains("is shard 1 of 2, and so is"))
    #expect(test.world.perform(["merge"]) == .usage)
  }

  @Test("'merge' refuses records of runs with another seed, selection, count or version")
  func others() throws {
    let test = try world()
    func record(_ name: String, _ arguments: String...) -> String {
      let path = test.folder + "/\(name).jsonl"
      _ = test.run(arguments + ["--record", path])
      return path
    }
    let first = record("first", "--shard", "1/2")
    let others = [
      (record("seed", "--shard", "2/2", "--seed", "9"), "the seed is another"),
      (record("count", "--shard", "2/3"), "3 shards and not 2"),
      (record("selection", "reads", "--shard", "2/2"), "scenarios, subjects or options"),
      (record("options", "--shard", "2/2", "--predict", "on"), "scenarios, subjects or options"),
    ]
    for (path, message) in others {
      let merge = TestWorldOutput(test)
      #expect(merge.perform(["merge", first, path]) == .badScenario)
      #expect(merge.errors.contains(message), "\(merge.errors)")
      #expect(merge.errors.utf8.count { $0 == 0x0A } == 1)
    }
    let second = record("second", "--shard", "2/2")
    // A corpus is a path on one machine, so it does not tell shards apart.
    let explored = (1...2).map { number in
      let path = test.folder + "/explored-\(number).jsonl"
      let corpus = test.folder + "/corpus-\(number)"
      let shard = ["--shard", "\(number)/2", "--corpus", corpus, "--record", path]
      _ = test.run(["explore", "reads"] + shard)
      return path
    }
    let merge = TestWorldOutput(test)
    #expect(merge.perform(["merge"] + explored) != .badScenario, "\(merge.errors)")
    let text = try test.read("second.jsonl").replacing(
      "\"version\":\"\(World.version)\"", with: "\"version\":\"0.0.1\"")
    try text.write(toFile: second, atomically: true, encoding: .utf8)
    #expect(test.world.perform(["merge", first, second]) == .badScenario)
    #expect(test.errors.text.contains("is of version 0.0.1, expected \(World.version)"))
  }

  @Test("A resumed run runs each trial once, and its answer is that of a whole run")
  func resume() throws {
    let test = try world()
    let path = test.folder + "/run.jsonl"
    test.interruptAfter = 7
    #expect(run(test, "--record", path) == .interrupted)
    // A runner that is killed may leave half a line.
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("{\"index\":3,\"sce".utf8))
    try handle.close()
    let early = TestWorldOutput(test)
    #expect(early.perform(["merge", path]) == .unmet)
    #expect(early.errors.contains("13 of 20 trials were not judged"))
    test.interruptAfter = nil
    #expect(run(test, "--resume", path) == .unmet)
    #expect(test.trials.count == 13)
    #expect(test.output.text.contains("20 trials: 19 met, 1 unmet"))
    let merge = TestWorldOutput(test)
    #expect(merge.perform(["merge", path]) == .unmet)
    #expect(merge.text.contains("20 trials: 19 met, 1 unmet"))
    // No trial is left to run.
    #expect(run(test, "--resume", path) == .unmet)
    #expect(run(test, "--resume", path, "--seed", "4") == .badScenario)
    #expect(test.errors.text.contains("is the record of another run: the seed is another"))
  }

  @Test("A shard without trials passes with a note, and its record is merged")
  func empty() throws {
    let test = try TestWorld()
    try FileManager.default.removeItem(atPath: test.folder + "/StressScenarios/reads.json")
    var notes = 0
    for number in 1...8 {
      let code = run(
        test, "--shard", "\(number)/8", "--record", "\(test.folder)/r\(number).jsonl")
      #expect(code == .met)
      if test.output.text.hasSuffix("shard \(number) of 8 has no trial\n") { notes += 1 }
    }
    #expect(notes >= 5)
    let records = (1...8).map { "\(test.folder)/r\($0).jsonl" }
    #expect(test.world.perform(["merge"] + records) == .met)
    #expect(test.output.text.contains("3 trials: 3 met"))
  }

  @Test(
    "A broken record is one line, whatever is in it",
    arguments: [
      "", "{", "[]", "{\"schema\":\"interlock-record\",\"schemaVersion\":2}", "\u{0}\u{1B}[2J",
      "{\"schema\":\"interlock-record\",\"schemaVersion\":1}",
      String(repeating: "[", count: 100_000), "{\"schema\":\"other\"}",
    ])
  func broken(_ text: String) throws {
    let test = try TestWorld()
    let path = test.folder + "/a.jsonl"
    try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    #expect(test.world.perform(["merge", path]) == .badScenario)
    #expect(test.errors.text.utf8.count { $0 == 0x0A } == 1)
    #expect(!test.errors.text.contains("\u{1B}"))
  }

  @Test("A record of a gigabyte without a line break is refused in one line, and is not read whole")
  func huge() throws {
    let test = try TestWorld()
    let path = test.folder + "/a.jsonl"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(truncate(path, 1 << 30) == 0)
    #expect(test.world.perform(["merge", path]) == .badScenario)
    #expect(test.errors.text == "error: \(path):1: is longer than 67108864 bytes\n")
    #expect(truncate(path, 5 << 30) == 0)
    #expect(test.world.perform(["merge", path]) == .badScenario)
    #expect(test.errors.text.contains("has 5368709120 bytes, expected at most 4294967296"))
  }

  @Test("A record's trial that occurs twice or was not planned is one line with its number")
  func doubled() throws {
    let test = try world()
    let path = test.folder + "/a.jsonl"
    #expect(run(test, "--record", path) == .unmet)
    let text = try test.read("a.jsonl")
    let lines = text.split(separator: "\n")
    try (text + lines[1] + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    #expect(test.world.perform(["merge", path]) == .badScenario)
    #expect(test.errors.text.contains("a.jsonl:22: is a trial that is there already"))
    let other = lines[2].replacing(/"index":[0-9]+/, with: "\"index\":999")
    try (text + other + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    #expect(test.world.perform(["merge", path]) == .badScenario)
    #expect(test.errors.text.contains("is a trial that was not planned"))
  }

  @Test("The first fault of a record is reported, however many lines are decoded at a time")
  func batches() throws {
    let test = try world()
    let path = test.folder + "/a.jsonl"
    #expect(run(test, "--record", path) == .unmet)
    var lines = try test.read("a.jsonl").split(separator: "\n").map(String.init)
    func read(_ batchBytes: Int) throws -> Int {
      let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
      return try Record(bytes, path: path, batchBytes: batchBytes).results.count
    }
    for bytes in [1, 5_000, 1 << 20] { #expect(try read(bytes) == 20) }
    lines[9] = "{}"
    lines[5] = lines[4]
    for bytes in [1, 5_000, 1 << 20] {
      let fault = #expect(throws: ScenarioError.self) { try read(bytes) }
      #expect(fault?.description.contains(":6: is a trial that is there already") == true)
    }
  }

  @Test("Half a first line of a record is reported as such, and an empty record as empty")
  func halfALine() throws {
    let test = try TestWorld()
    let path = test.folder + "/a.jsonl"
    for (text, found) in [("{\"schema\":", "has half a line and no more"), ("", "is empty")] {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      #expect(test.world.perform(["merge", path]) == .badScenario)
      #expect(test.errors.text.hasSuffix("error: \(path): \(found), expected a record\n"))
    }
  }

  @Test("The record of every kind of verdict is read as it was written")
  func kinds() throws {
    let test = try world()
    let kinds: [Verdict.Kind] = [
      .passed, .race, .deadlock, .violation, .crashed, .timedOut, .undecided, .skipped,
    ]
    try FileManager.default.removeItem(atPath: test.folder + "/StressScenarios/reads.json")
    test.subjects = kinds.map(\.rawValue)
    test.verdict = { .any(Verdict.Kind(rawValue: $0.subject) ?? .passed) }
    let path = test.folder + "/a.jsonl"
    #expect(run(test, "--record", path, "--json", test.folder + "/a.json") == .unmet)
    #expect(test.world.perform(["merge", path, "--json", test.folder + "/b.json"]) == .unmet)
    #expect(try test.read("a.json") == test.read("b.json"))
  }

  /// The coverage of a trial with this number: the resources, their order, their coverage and their
  /// places differ from trial to trial.
  private func coverage(_ number: Int) -> CoverageReport? {
    guard number % 5 > 0 else { return nil }
    let place = Place(file: "A.swift", line: number, function: "f()")
    var report = CoverageReport()
    report.resources = (number % 2 == 0 ? ["users", "posts"] : ["posts", "pages"]).map { name in
      CoverageReport.Resource(
        name: name, owners: 2, contention: number % 3 == 0 ? .shared : .oneOwner,
        places: [.init(place: place, mode: .noReadWrite, byOneOwner: false)],
        pairs: [.init(first: 0, second: 0, outcome: .apart)], overlapped: number % 4,
        nearMisses: number % 7, apart: 1)
    }
    return report
  }

  @Test(
    "A report that shows little of passed trials is the same if these are read briefly")
  func brief() throws {
    let test = try world()
    var number = 0
    test.afterEach = { [unowned test] in
      number += 1
      test.coverage = self.coverage(number)
    }
    test.findings = {
      let finding = PotentialFinding(kind: .lockOrder, headline: "both ways", sides: [], count: 1)
      return $0.subject == "cache-1" ? [finding] : []
    }
    let path = test.folder + "/a.jsonl"
    #expect(run(test, "--record", path, "--predict", "on", "--repeat", "9") == .unmet)
    // The JSON file shows all trials, so they are read whole.
    let outputs = try [[], ["--json", test.folder + "/a.json"]].map { more in
      let merge = TestWorldOutput(test)
      let files = ["--junit", test.folder + "/a.xml", "--sarif", test.folder + "/a.sarif"]
      #expect(merge.perform(["merge", path, "--verbose", "--xcode"] + files + more) == .unmet)
      return try [merge.text, test.read("a.xml"), test.read("a.sarif")]
    }
    #expect(outputs[0] == outputs[1])
    #expect(outputs[0][0].contains("180 trials: 171 met, 9 unmet"))
    let whole = try Record(path).results
    let brief = try Record(path, isBrief: true).results
    #expect(brief.keys == whole.keys)
    // All trials are read briefly but the trial that raced, trials with predicted findings, and
    // trials whose coverage is shown.
    #expect(brief.count { whole[$0.key] != $0.value } > 80)
    #expect(brief.allSatisfy { $0.value.isMet == true || whole[$0.key] == $0.value })
  }
}
