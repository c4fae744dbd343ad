import Foundation
import StressRunner
import Testing

@testable import Explorer
@testable import InterlockStress

@Suite("'explore'")
struct ExploreCommandTests {
  /// A world with scenarios that are explored, run, or both.
  private func makeWorld() throws -> TestWorld {
    let test = try TestWorld()
    try test.write(
      """
      { "name": "order", "summary": "needs an order", "source": "a test",
        "subjects": ["good", "bad"], "pool": { "width": 3 },
        "workload": { "driver": "threads", "seed": 5,
                      "phases": [{ "callers": 2, "operations": ["get"] }] },
        "explore": { "good": { "verdict": "passed", "finished": true }, "bad": "violation" } }
      """, "order.json")
    test.verdict = { trial in
      trial.subject == "bad" ? .explored(Self.failure(.failed)) : .passed
    }
    test.exploration = { trial in
      let outcome: ExplorationOutcome =
        trial.subject == "bad"
        ? .failed(Self.failure(.failed)) : .allOrdersPass(count: 6, leftBehind: 0)
      return ExplorationRecord(outcome: outcome, seconds: 0.5)
    }
    return test
  }

  private static func failure(_ verdict: ExplorationFailure.Verdict) -> ExplorationFailure {
    var schedule = Schedule()
    schedule.steps = [
      .init(thread: 0, operation: "start", object: 1, place: nil, candidates: 1),
      .init(thread: 1, operation: "lock", object: 2, place: nil, candidates: 2),
    ]
    schedule.switches = 1
    return ExplorationFailure(
      verdict: verdict, text: "the body failed", schedule: schedule, token: "i1-0-w0-ab-0",
      origin: .order(2))
  }

  private func pairs(_ test: TestWorld) -> [String] {
    test.trials.map { "\($0.scenario.name) \($0.subject)" }
  }

  @Test("'explore' without names explores scenarios with expected explorations; 'run' omits them")
  func selection() throws {
    let test = try makeWorld()
    #expect(test.run("explore") == .met)
    #expect(pairs(test) == ["order good", "order bad"])
    #expect(test.run("run") == .unmet)
    #expect(!pairs(test).contains { $0.hasPrefix("order") })
    #expect(test.run("explore", "reads", "--subject", "good") == .met)
    #expect(pairs(test) == ["reads good"])
    #expect(test.run("explore", "order", "--subject", "mutex") == .nothingSelected)
  }

  @Test("'explore' says that a script's order is not kept, unless the file expects an exploration")
  func freeRoles() throws {
    let test = try makeWorld()
    func write(_ name: String, _ expectations: String) throws {
      try test.write(
        """
        { "name": "\(name)", "summary": "two in an order", "source": "a test",
          "subjects": ["good"],
          "workload": {
            "script": {
              "roles": { "A": [{ "do": "get" }], "B": [{ "do": "get" }] },
              "order": ["A: call 1 ends", "B: call 1 ends"] } }, \(expectations) }
        """, name + ".json")
    }
    try write("ordered", #""expect": { "good": "passed" }"#)
    try write("also-ordered", #""expect": { "good": "passed" }"#)
    try write("stated", #""expect": { "good": "passed" }, "explore": { "good": "passed" }"#)
    #expect(test.run("explore", "stated", "reads", "--subject", "good") == .met)
    #expect(test.run("run", "ordered") == .met)
    #expect(test.errors.text == "")
    #expect(test.run("explore", "ordered", "stated") == .met)
    let note =
      "note: an exploration does not keep the order of a script: the roles of 'ordered' run freely,"
      + " and may fail in an order of which 'expect' does not speak; state what is expected then"
      + " under 'explore', or use 'run'\n"
    #expect(test.errors.text == note)
    #expect(test.run("explore", "ordered", "also-ordered") == .met)
    #expect(test.errors.text.contains("the roles of 'also-ordered' and 1 more run freely"))
  }

  @Test("'explore --corpus' reaches the child as an absolute path; a broken file is one line")
  func corpus() throws {
    let test = try makeWorld()
    #expect(test.run("explore", "order", "--subject", "good", "--corpus", "kept") == .met)
    let folder = try #require(test.trials.last?.explore?.options.corpus)
    #expect(folder == test.world.currentFolder + "/kept")
    let trial = try #require(test.trials.last)
    let name = Corpus(of: "order on good, seed \(trial.seed)", in: folder).path
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data("nonsense\n".utf8).write(to: URL(fileURLWithPath: name))
    let before = test.trials.count
    #expect(
      test.run("explore", "order", "--subject", "good", "--corpus", folder) == .usage)
    #expect(test.trials.count == before)
    #expect(test.errors.text.contains("\(name):1: expected 'order N'"), "\(test.errors.text)")
  }

  /// The result of a shard's part of the orders.
  private static func part(_ part: ExplorationOptions.Part, _ subject: String) -> ExplorationRecord
  {
    let isFailing = subject == "bad" && part.number == 2
    var record = ExplorationRecord(
      outcome: isFailing
        ? .failed(failure(.failed)) : .allOrdersPass(count: 10 * part.number, leftBehind: 0),
      seconds: 1)
    record.facts = 1
    return record
  }

  @Test("Shards of 'explore' have parts of each pair's orders, and 'merge' adds the parts up")
  func shards() throws {
    let test = try makeWorld()
    let records = test.folder + "/records"
    try FileManager.default.createDirectory(atPath: records, withIntermediateDirectories: true)
    var shown: (Trial) -> ExplorationRecord = { trial in
      trial.explore?.options.part.map { Self.part($0, trial.subject) }
        ?? ExplorationRecord(outcome: .allOrdersPass(count: 99, leftBehind: 0), seconds: 0)
    }
    test.exploration = { shown($0) }
    test.verdict = { trial in
      if case .failed(let failure) = shown(trial).outcome { .explored(failure) } else { .passed }
    }
    func explore(_ number: Int) -> ExitCode {
      test.run(
        "explore", "order", "--shard", "\(number)/3", "--budget", "30", "--record",
        "\(records)/\(number).jsonl")
    }
    // The second part has the bug that 'bad' is expected to show.
    #expect((1...3).map(explore) == [.unmet, .met, .unmet])
    #expect(test.output.text.contains("all 30 orders of part 3 of 3"))
    #expect(
      test.output.text.hasSuffix("shard 3 of 3 has its part of the orders: 'merge' decides\n"))
    #expect(test.trials.allSatisfy { $0.explore?.options.executions == 10 })
    let before = test.output.text.count
    #expect(test.world.perform(["merge", records]) == .met)
    let merged = test.output.text.dropFirst(before)
    #expect(merged.contains("all 60 orders") && !merged.contains("part "))
    #expect(merged.contains("2 trials: 2 met"))

    // Parts of an order with more choices elsewhere are not every order.
    shown = { trial in
      var record = Self.part(trial.explore!.options.part!, trial.subject)
      record.facts = 3
      return record
    }
    #expect(explore(3) == .unmet)
    #expect(test.world.perform(["merge", records]) == .unmet)
    #expect(test.output.text.contains("60 orders sampled"))
    try FileManager.default.removeItem(atPath: records + "/1.jsonl")
    #expect(test.world.perform(["merge", records]) == .badScenario)
  }

  @Test("'explore --jobs' divides the orders of each pair among the free processes")
  func jobs() throws {
    let test = try makeWorld()
    #expect(test.run("explore", "order", "--subject", "bad", "--jobs", "3") == .met)
    #expect(test.trials.map(\.explore?.options.jobs) == [3] && test.jobs == 3)
    // First a process for each of the two pairs, and then two.
    #expect(test.run("explore", "order", "--jobs", "3") == .met)
    #expect(test.trials.suffix(2).map(\.explore?.options.jobs) == [nil, nil])
    #expect(test.run("explore", "order", "--jobs", "4") == .met)
    #expect(test.trials.suffix(2).map(\.explore?.options.jobs) == [2, 2])
    #expect(test.run("explore", "order", "--subject", "bad", "--jobs", "256") == .met)
    #expect(test.trials.last?.explore?.options.jobs == 64)
    #expect(test.run("explore", "order", "--subject", "bad") == .met)
    #expect(test.trials.last?.explore?.options.jobs == nil)
  }

  @Test("An impossible number of processes is an error in one line", arguments: ["0", "many"])
  func invalidJobs(_ value: String) throws {
    let test = try makeWorld()
    #expect(test.run("explore", "order", "--jobs", value) == .usage)
    #expect(
      test.errors.text.contains(
        "The value '\(value)' is invalid for '--jobs <n>': expected a whole number from 1 to 256"))
    #expect(test.trials.isEmpty)
  }

  @Test("'explore --explain-orders' prints where the orders come from")
  func explainsOrders() throws {
    let test = try makeWorld()
    var sources: [String]? = ["lock made at Bank.swift:6: 6 steps of 2 threads have 20 orders"]
    test.exploration = { trial in
      var record = ExplorationRecord(
        outcome: .allOrdersPass(count: 20, leftBehind: 0), seconds: 1)
      if trial.explore?.options.explainsOrders == true { record.sources = sources }
      return record
    }
    #expect(test.run("explore", "order", "--subject", "good", "--explain-orders") == .met)
    #expect(test.output.text.contains("most orders: lock made at Bank.swift:6: 6 steps of 2"))
    let before = test.output.text.count
    #expect(test.run("explore", "order", "--subject", "good") == .met)
    #expect(!test.output.text.dropFirst(before).contains("most orders"))
    sources = []
    #expect(test.run("explore", "order", "--subject", "good", "--explain-orders") == .met)
    #expect(test.output.text.contains("most orders: no object is used in more than one order"))
    #expect(
      test.run("explore", "order", "--subject", "good", "--explain-orders", "--replay", "i1-0")
        == .usage)
    #expect(test.errors.text.contains("'--explain-orders' does nothing with '--replay <token>'"))
  }

  @Test("The claim of an exploration that stayed in one process says why")
  func oneProcess() throws {
    let test = try makeWorld()
    test.exploration = { _ in
      var record = ExplorationRecord(
        outcome: .allOrdersPass(count: 12, leftBehind: 0), seconds: 1)
      record.oneProcess = "depth-first search has no parts"
      return record
    }
    #expect(test.run("explore", "order", "--subject", "good", "--verbose") == .met)
    #expect(
      test.output.text.contains("in one process: depth-first search has no parts"),
      "\(test.output.text)")
  }

  @Test("'explore --isolate' reaches the child, and the printed replay repeats it")
  func isolate() throws {
    let test = try makeWorld()
    #expect(test.run("explore", "order", "--subject", "bad", "--isolate") == .met)
    let options = try #require(test.trials.first?.explore?.options)
    #expect(options.isIsolated && options.isolatesEach)
    #expect(test.output.text.contains("--subject bad --isolate --scenarios"), "\(test.output.text)")
  }

  @Test("'run' names the command for a scenario that is only explored")
  func onlyExplored() throws {
    let test = try makeWorld()
    #expect(test.run("run", "order") == .usage)
    #expect(
      test.errors.text.contains(
        "The scenario 'order' has expectations of 'explore' alone: use 'explore order'"))
  }

  @Test("'explore' without names needs a scenario with an expected exploration")
  func nothingExpected() throws {
    #expect(try TestWorld().run("explore") == .nothingSelected)
  }

  @Test("The options of 'explore' reach the child")
  func options() throws {
    let test = try makeWorld()
    #expect(test.run("explore", "order", "--subject", "good") == .met)
    let plain = try #require(test.trials.first?.explore)
    #expect(plain.options.strategy == .everyOrder)
    #expect(plain.options.seconds == 10 && plain.options.executions == nil)
    #expect(plain.options.poolWidth == 3 && plain.options.seed == 5 && plain.token == nil)
    #expect(
      test.run(
        "explore", "order", "--subject", "good", "--strategy", "pct:3", "--budget", "50",
        "--pool-width", "64", "--seed", "9") == .met)
    let asked = try #require(test.trials.first?.explore)
    #expect(asked.options.strategy == .pct(depth: 3))
    #expect(asked.options.executions == 50 && asked.options.poolWidth == 64)
    #expect(asked.options.seed == 9 && test.trials.first?.seed == 9)
    #expect(test.run("explore", "order", "--subject", "good", "--budget", "0.5s") == .met)
    #expect(test.trials.first?.explore?.options.seconds == 0.5)
  }

  @Test(
    "Each strategy is written as the help shows it",
    arguments: [
      ("every-order", ExplorationOptions.Strategy.everyOrder),
      ("dfs", .depthFirst(preemptions: nil)), ("dfs:2", .depthFirst(preemptions: 2)),
      ("random", .random), ("pct:3", .pct(depth: 3)), ("pos", .pos), ("surw", .surw),
      ("round-robin", .roundRobin),
    ])
  func strategies(_ text: String, _ strategy: ExplorationOptions.Strategy) throws {
    let test = try makeWorld()
    #expect(test.run("explore", "order", "--strategy", text) == .met)
    #expect(test.trials.first?.explore?.options.strategy == strategy)
  }

  @Test(
    "A mistake in an option of 'explore' is one line",
    arguments: [
      (["--strategy", "dpor"], "The value 'dpor' is invalid for '--strategy <strategy>'"),
      (["--strategy", "pct"], "The value 'pct' is invalid"),
      (["--strategy", "pct:0"], "The value 'pct:0' is invalid"),
      (["--strategy", "pct:33"], "The value 'pct:33' is invalid"),
      (["--strategy", "dfs:-1"], "The value 'dfs:-1' is invalid"),
      (["--strategy", "random:2"], "The value 'random:2' is invalid"),
      (["--budget", "0"], "The value '0' is invalid for '--budget <budget>'"),
      (["--budget", "0s"], "The value '0s' is invalid"),
      (["--budget", "1m"], "The value '1m' is invalid"),
      (["--budget", "nans"], "The value 'nans' is invalid"),
      (["--pool-width", "0"], "The value '0' is invalid for '--pool-width <n>'"),
      (["--replay", "i1-0-w0-ab-0"], "'--replay <token>' needs one scenario and one subject"),
      (
        ["--subject", "good", "--replay", "zebra"],
        "is invalid for '--replay <token>': this is no token of a schedule"
      ),
      (
        ["--subject", "good", "--replay", "i1-977c6f62-w2-a3ba_30_2-03c66d"],
        "is invalid for '--replay <token>': the token belongs to another body"
      ),
      (
        ["--subject", "good", "--replay", "x", "--budget", "5"],
        "The option '--budget <budget>' does nothing with '--replay <token>'"
      ),
      (["--repeat", "3"], "Unknown option '--repeat'"),
    ])
  func mistakes(_ words: [String], _ message: String) throws {
    let test = try makeWorld()
    #expect(test.run(["explore", "order"] + words) == .usage)
    #expect(test.errors.text.contains(message))
    #expect(test.errors.text.split(separator: "\n").count == 1)
  }

  @Test("A bug that is not found, a twin that fails, and an unfinished twin are red")
  func gate() throws {
    let test = try makeWorld()
    test.verdict = { _ in .passed }
    test.exploration = { _ in
      ExplorationRecord(outcome: .allOrdersPass(count: 6, leftBehind: 0), seconds: 0)
    }
    #expect(test.run("explore", "order", "--subject", "bad") == .unmet)
    #expect(test.run("explore", "order", "--subject", "good") == .met)
    test.exploration = { _ in
      ExplorationRecord(outcome: .sampled(count: 6, leftBehind: 0, escaped: []), seconds: 0)
    }
    #expect(test.run("explore", "order", "--subject", "good") == .unmet)
    #expect(test.output.text.contains("expected passed, every order"))
    test.verdict = { _ in .explored(Self.failure(.failed)) }
    #expect(test.run("explore", "order", "--subject", "good") == .unmet)
    test.verdict = { _ in .explored(Self.failure(.deadlock(nil))) }
    #expect(test.run("explore", "order", "--subject", "bad") == .unmet)
    // An exploration that is not deterministic shows nothing, and fails any expectation.
    test.verdict = { _ in .explored(Self.failure(.notDeterministic)) }
    #expect(test.run("explore", "order", "--subject", "good") == .unmet)
    #expect(test.run("explore", "order", "--subject", "bad") == .unmet)
  }

  @Test("'explore' shows the failing order, and in the last line how to replay it")
  func text() throws {
    let test = try makeWorld()
    #expect(test.run("explore", "order") == .met)
    #expect(
      test.output.text.hasPrefix(
        """
        order: needs an order
        ✓ good  passed                 all 6 orders  0.00 s
            all 6 orders of the controlled calls pass; atomics and memory accesses \
        are not controlled
        ✓ bad   violation              order 2  0.00 s
            the body failed (order number 2); the shortest schedule found has 1 context \
        switch

        """))
    #expect(!test.output.text.contains("replay:"))
    let alone = try makeWorld()
    #expect(alone.run("explore", "order", "--subject", "bad") == .met)
    #expect(
      alone.output.text.contains(
        """
             body      thread 1
          1  start #1
          2            lock #2
          replay: interlock explore order --subject bad \
        --scenarios \(alone.folder)/StressScenarios --replay i1-0-w0-ab-0

        ✓ 1 trial: 1 met, 0 unmet, 0 skipped (0.00 s)

        """))
  }
}
