import Caches
import Comparison
import Foundation
import Findings
import LockStrategies
import StressRunner
import Testing
import TestSupport
import Hangs

@testable import InterlockStress

/// A test's world with the built-in strategies.
private func world(_ test: TestWorld, isDebug: Bool = false) -> World {
  var world = test.world
  world.strategies = StrategyEntry.builtIn
  world.isDebugBuild = isDebug
  return world
}

/// One workload and two strategies for a second.
private let short = [
  "--subject", "nslock", "--subject", "mutex", "--threads", "2", "--reads", "50", "--section", "0",
  "--keys", "1", "--distribution", "uniform", "--driver", "threads", "--time", "1.2", "--rounds",
  "12",
]

@Suite("The command 'compare'", .serialized, .offThePool)
struct CompareCommandTests {
  private func mistake(_ arguments: String..., isDebug: Bool = false) throws -> String {
    let test = try TestWorld()
    let code = world(test, isDebug: isDebug)
      .perform(["compare"] + arguments + ["--scenarios", test.folder + "/StressScenarios"])
    #expect(code == .usage, "\(arguments)")
    #expect(test.trials.isEmpty && test.output.text.isEmpty)
    #expect(test.errors.text.filter { $0 == "\n" }.count == 1)
    return test.errors.text
  }

  @Test("'compare' reports a wrong option in one line, and ends with 64")
  func options() throws {
    let range = "expected a whole number from 1 to 256"
    #expect(
      try mistake("--threads", "0").contains("'0' is invalid for '--threads <list>': \(range)"))
    #expect(try mistake("--threads", "4,100000").contains(range))
    #expect(try mistake("--threads", "").contains(range))
    #expect(try mistake("--threads", "1,,2").contains(range))
    #expect(try mistake("--reads", "101%").contains("expected a whole number from 0 to 100"))
    #expect(try mistake("--section", "1h").contains("expected 0 or a duration up to 10ms"))
    #expect(try mistake("--section", "9223372036854775807ms").contains("up to 10ms"))
    #expect(try mistake("--keys", "0").contains("from 1 to 1000000"))
    #expect(try mistake("--distribution", "normal").contains("one of uniform, zipf"))
    #expect(try mistake("--driver", "fibres").contains("one of threads, dispatch-queue, tasks"))
    #expect(try mistake("--rounds", "5").contains("from 6 to 1000"))
    #expect(try mistake("--time", "nan").contains("a number of seconds from 0.1 to 86400"))
    #expect(try mistake("--rate", "0").contains("calls a second"))
    #expect(try mistake("--max-regression=-1%").contains("a percentage from 0% to 1000%"))
    #expect(try mistake("--difference", "0").contains("a percentage from 0.1% to 100%"))
  }

  @Test("'compare' of locks names the user's caches that it leaves out, and no lock")
  func ownCaches() throws {
    let own: [SubjectEntry] = [
      .cache("mine", "a cache") { LockedCache(FoundationLock()) },
      .lock("my-lock") { FoundationLock() },
    ]
    let strategies = StrategyEntry.builtIn + own.compactMap { $0.strategy as? StrategyEntry }
    func notes(caches: Bool) throws -> [String] {
      var options = Options()
      options.compare.caches = caches
      return try CompareField(
        [], options, strategies: strategies, subjects: SubjectEntry.builtIn + own, scenarios: []
      ).notes
    }
    #expect(
      try notes(caches: false) == [
        "'mine' is a cache, and this compares locks: 'compare --caches' measures caches"
      ])
    #expect(try notes(caches: true).isEmpty)
  }

  @Test("'compare' names unknown names, and options that exclude each other")
  func names() throws {
    #expect(try mistake("--subject", "nslok").contains("did you mean 'nslock'?"))
    #expect(try mistake("raeds").contains("did you mean 'reads'?"))
    #expect(try mistake("--reference", "x").contains("The reference 'x' does not take part"))
    #expect(try mistake("reads", "--threads", "2").contains("A scenario has its own workload"))
    #expect(try mistake("--caches", "--section", "0").contains("means nothing for caches"))
    #expect(try mistake("--rate", "100").contains("give '--driver threads'"))
    #expect(
      try mistake(
        "--rate", "20", "--driver", "threads", "--threads", "4", "--subject", "nslock", "--reads",
        "50", "--section", "0", "--keys", "1", "--distribution", "uniform"
      ).contains(
        "'20' is invalid for '--rate <calls/s>': each of 4 callers would make 1.25 calls in a round"
          + " of 250 ms, expected at least 5: give at least 8"))
    #expect(try mistake("--full", "--time", "1").contains("take at least"))
    #expect(try mistake("--baseline", "/nowhere").contains("it cannot be read"))
    #expect(try mistake("--max-regression", "5%").contains("needs a '--baseline'"))
    #expect(try mistake("--json", "/nowhere/x").contains("'--json <file>': it cannot be written"))
    #expect(try mistake("--html", "/nowhere/x").contains("'--html <file>': it cannot be written"))
  }

  @Test("'compare' bypasses its calls after the correctness pass, and reports what they still cost")
  func unseen() throws {
    let test = try TestWorld()
    var measured = world(test)
    var judged = 0
    measured.leaveCallsUnseen = {
      judged = test.trials.count
      return (real: 5.7, interposed: 6.5)
    }
    #expect(measured.perform(["compare"] + short) == .met)
    #expect(judged > 0)
    #expect(
      test.output.text.contains("in this executable's code 0.80 ns more (6.50 ns against 5.70 ns)"))
    let seen = try TestWorld()
    #expect(world(seen).perform(["compare"] + short) == .met)
    #expect(seen.output.text.contains("'--traits UnseenCalls' leaves that out"))
  }

  @Test("'compare' in a debug build says before and after the figures that they are a first look")
  func debug() throws {
    let test = try TestWorld()
    #expect(world(test, isDebug: true).perform(["compare"] + short) == .met)
    #expect(
      test.output.text.hasPrefix(
        "debug build, for a first look: its figures are not those of a release build; 2 strat"))
    #expect(
      test.output.text.contains(
        "A release build may have another order: swift run -c release interlock compare\n"))
  }

  @Test("'compare' refuses a baseline in a debug build, unless an option allows it")
  func debugBaseline() throws {
    let text = try mistake("--baseline", "/nowhere", isDebug: true)
    #expect(text.contains("This is a debug build"))
    #expect(text.contains("'--allow-debug'; see 'interlock help compare'"))
  }

  @Test(
    "'compare' prints an estimate first: less than five minutes, or 40 seconds if quick"
  )
  func time() throws {
    for (arguments, most) in [([], 270.0), (["--quick"], 35)] {
      let test = try TestWorld()
      // An incorrect strategy is not measured.
      test.verdict = { _ in .any(.race) }
      #expect(world(test).perform(["compare"] + arguments) == .unmet)
      let options = CompareOptions()
      var grid = options.grid
      if arguments == ["--quick"] { grid = .quick }
      let plan = try MeasurementPlan(
        cells: grid.cells.count, contestants: 10,
        seconds: arguments.isEmpty ? options.measuringSeconds : 28, seed: 1)
      #expect(plan.seconds <= most)
      #expect(test.output.text.contains("about \(plan.seconds > 60 ? "3 min 45 s" : "28 s")"))
    }
  }

  @Test(
    "'compare' tries every strategy with every driver first, and ranks no incorrect one")
  func refuses() throws {
    let test = try TestWorld()
    test.verdict = { trial in
      trial.subject == "compare.mutex"
        ? .any(.deadlock, cause: .cycle)
        : .passed
    }
    #expect(world(test).perform(["compare"] + short) == .met)
    #expect(test.trials.map(\.subject) == ["compare.mutex", "compare.nslock"])
    #expect(
      test.output.text.contains(
        "✗ mutex  deadlock (cycle), no rank: with 2 callers by the driver threads: "))
    #expect(test.output.text.contains("; 2 threads wait for each other"))
    #expect(test.output.text.contains("1  nslock"))
    #expect(!test.output.text.contains("  mutex  "))
    let all = try TestWorld()
    all.verdict = { _ in .any(.race) }
    #expect(world(all).perform(["compare"]) == .unmet)
    #expect(all.trials.count == 12 * 4)
    #expect(Set(all.trials.map(\.scenario.workload.driver)).count == 3)
    #expect(all.trials.count { $0.scenario.name == "compare-thousand-reads" } == 12)
    #expect(
      all.errors.text.contains("nothing was measured: no strategy is correct on this workload"))
  }

  @Test("'compare' writes a JSON file that a later comparison accepts as its baseline")
  func baseline() throws {
    let test = try TestWorld()
    let file = test.folder + "/before.json"
    #expect(world(test).perform(["compare", "--json", file] + short) == .met)
    let now = try TestWorld()
    // A regression would be ten times slower.
    let code = world(now).perform(
      ["compare", "--baseline", file, "--max-regression", "900%"] + short)
    #expect(code == .met)
    #expect(
      now.output.text.contains(
        "no strategy is known to be more than 10 × slower than in the baseline"))
    // In this baseline the reference took ten times as long. Relative to the reference, the other
    // strategy was ten times as quick.
    let json = try test.read("before.json")
    let start = "\"strategy\": \"nslock\",\n          \"warmUp\""
    let parts = json.components(separatedBy: start)
    #expect(parts.count == 2)
    let slow = parts[1].replacingOccurrences(of: "\"nanoseconds\": ", with: "\"nanoseconds\": 9")
    try test.write(parts[0] + start + slow, "slow.txt")
    let slower = try TestWorld()
    #expect(
      world(slower).perform(
        ["compare", "--baseline", test.folder + "/StressScenarios/slow.txt"] + short) == .unmet)
    #expect(slower.output.text.contains("✗ mutex is "))
    #expect(slower.output.text.contains("× slower than in the baseline"))
    // In the opposite case the strategy got quicker.
    let quick = parts[1].replacingOccurrences(of: "\"calls\": ", with: "\"calls\": 9")
    try test.write(parts[0] + start + quick, "quick.txt")
    let quicker = try TestWorld()
    #expect(
      world(quicker).perform(
        ["compare", "--baseline", test.folder + "/StressScenarios/quick.txt"] + short) == .met)
  }

  @Test("'compare' compares nothing with a baseline if the reference is incorrect, and ends with 1")
  func wrongReference() throws {
    let test = try TestWorld()
    let file = test.folder + "/before.json"
    #expect(world(test).perform(["compare", "--json", file] + short) == .met)
    let now = try TestWorld()
    now.verdict = { trial in
      .any(trial.subject == "compare.nslock" ? .race : .passed)
    }
    #expect(world(now).perform(["compare", "--baseline", file] + short) == .unmet)
    #expect(
      now.output.text.contains("nothing can be compared with the baseline: nslock has no rank"))
  }

  @Test("'compare' needs no figures in the baseline of a strategy that has no rank, now as before")
  func faultyInBoth() throws {
    let test = try TestWorld()
    let file = test.folder + "/before.json"
    let deadlock: (Trial) -> Verdict = { trial in
      trial.subject == "compare.mutex" ? .any(.deadlock, cause: .cycle) : .passed
    }
    test.verdict = deadlock
    #expect(world(test).perform(["compare", "--json", file] + short) == .met)
    let now = try TestWorld()
    now.verdict = deadlock
    let code = world(now).perform(["compare", "--baseline", file] + short)
    #expect(code == .met, "\(now.errors.text)")
    #expect(now.output.text.contains("no strategy is known to be more than"))
    // The strategy is repaired: the baseline has nothing to compare it with.
    let repaired = try TestWorld()
    #expect(world(repaired).perform(["compare", "--baseline", file] + short) == .badScenario)
    #expect(repaired.errors.text.contains("the baseline lacks 'mutex' in the workload"))
  }

  @Test("'compare' ends with 1 if a strategy with figures in the baseline now has no rank")
  func newlyFaulty() throws {
    let test = try TestWorld()
    let file = test.folder + "/before.json"
    #expect(world(test).perform(["compare", "--json", file] + short) == .met)
    let now = try TestWorld()
    now.verdict = { trial in
      trial.subject == "compare.mutex" ? .any(.deadlock, cause: .cycle) : .passed
    }
    #expect(
      world(now).perform(["compare", "--baseline", file, "--max-regression", "900%"] + short)
        == .unmet)
    #expect(
      now.output.text.contains(
        "✗ mutex has figures in the baseline, and now no rank: deadlock (cycle)\n"))
    // A strategy that does not take part is not missed.
    let fewer = try TestWorld()
    #expect(
      world(fewer).perform(
        ["compare", "--baseline", file, "--max-regression", "900%"] + Self.onlyReference) == .met)
  }

  /// The workload of `short` with the reference alone.
  private static let onlyReference = Array(short[..<2] + short[4...])

  @Test("'compare' refuses a baseline of another rate or build before any trial, with 65")
  func otherBaseline() throws {
    let test = try TestWorld()
    let file = test.folder + "/before.json"
    #expect(world(test).perform(["compare", "--json", file] + short) == .met)
    func refusal(_ arguments: [String]) throws -> String {
      let now = try TestWorld()
      let code = world(now).perform(["compare"] + short + arguments)
      #expect(code == .badScenario && now.trials.isEmpty)
      #expect(now.errors.text.filter { $0 == "\n" }.count == 1)
      return now.errors.text
    }
    #expect(
      try refusal(["--baseline", file, "--rate", "10000"])
        .contains("the baseline was measured without '--rate', and this comparison is with"))
    let json = try test.read("before.json")
    try test.write(json.replacing(#""build": "release""#, with: #""build": "debug""#), "debug.txt")
    let debug = test.folder + "/StressScenarios/debug.txt"
    #expect(
      try refusal(["--baseline", debug]).contains("the baseline is of a debug build, and this is"))
    let allowed = try TestWorld()
    let code = world(allowed).perform(
      ["compare", "--baseline", debug, "--allow-debug", "--max-regression", "900%"] + short)
    #expect(code == .met)
  }

  @Test("'compare' says that a strategy missed the requested rate, and not that it is unfair")
  func missedRate() throws {
    let test = try TestWorld()
    // The calls are inside one after another, so there are at most a thousand a second.
    let arguments = ["compare"] + short + ["--section", "1ms", "--rate", "100000"]
    #expect(world(test).perform(arguments) == .met, "\(test.errors.text)")
    #expect(test.output.text.contains("the requested rate was missed: `"))
    #expect(!test.output.text.contains("is unfair"))
  }

  @Test("'compare' refuses a baseline of another schema, or without the compared strategies")
  func badBaseline() throws {
    let test = try TestWorld()
    func complaint(_ text: String, afterTrials: Bool = false) throws -> String {
      try test.write(text, "baseline.txt")
      let other = try TestWorld()
      let code = world(other).perform(
        ["compare", "--baseline", test.folder + "/StressScenarios/baseline.txt"] + short)
      #expect(code == .badScenario)
      #expect(other.trials.isEmpty != afterTrials)
      #expect(other.errors.text.filter { $0 == "\n" }.count == 1)
      return other.errors.text
    }
    #expect(try complaint("{").contains("baseline.txt:1: "))
    #expect(try complaint("{}").contains("'schema' must be \"interlock-compare\", found none"))
    #expect(
      try complaint("{\n\"schema\": \"x\"}")
        .contains(":2: 'schema' must be \"interlock-compare\", found \"x\""))
    #expect(
      try complaint("{\"schema\": \"interlock-compare\",\n\"schemaVersion\": 2}")
        .contains(":2: 'schemaVersion' must be 1, found 2"))
    let start = #"{"schema": "interlock-compare", "schemaVersion": 1, "rate": "#
    #expect(try complaint(start + "true}").contains("'rate' must be a number or null, found true"))
    #expect(try complaint(start + "null}").contains("'host' is missing"))
    let head = start + #"null, "host": {"build": "release"}, "cells": "#
    #expect(try complaint(head + "1}").contains("'cells' must be a list, found 1"))
    #expect(
      try complaint(head + "[]}").contains(
        "the baseline lacks the workload '2 threads, 50 % reads, section 0, 1 key'"))
    let cell =
      "[{\"name\": \"2 threads, 50 % reads, section 0, 1 key\", \"rounds\": [{\"strategy\":"
      + " \"nslock\", \"figures\": [{\"calls\": 1, \"nanoseconds\": 1}]}]}]}"
    #expect(
      try complaint(head + cell, afterTrials: true)
        .contains("the baseline lacks 'mutex' in the workload"))
  }

  @Test(
    "'compare' measures caches, also a user's, on a grid and on a scenario's workload")
  func caches() throws {
    let test = try TestWorld()
    test.moreSubjects = [
      .cache("mine", "a dictionary under a lock") { LockedDictionary() },
      SubjectEntry(name: "other", summary: "no cache at all") { IdleSubject() },
    ]
    try test.write(
      """
      { "name": "mixed", "summary": "all kinds", "source": "a test",
        "workload": { "driver": "dispatch-queue", "keys": { "count": 4 },
          "phases": [{ "callers": 3, "rounds": 50, "operations":
            { "get": 5, "set": 3, "remove": 1, "count": 1, "get-async": 1 } }] } }
      """, "mixed.json")
    let folder = ["--scenarios", test.folder + "/StressScenarios"]
    let grid = [
      "compare", "--threads", "2", "--reads", "50", "--keys", "4", "--driver", "threads",
      "--time", "1.5", "--rounds", "12",
    ]
    #expect(world(test).perform(grid + ["--caches"]) == .met)
    #expect(test.output.text.contains("1 cache on"))
    #expect(Set(test.trials.map(\.subject)) == ["mine"])
    #expect(
      world(test).perform(
        ["compare", "mixed", "--subject", "mine", "--subject", "other", "--time", "1"] + folder)
        == .met, "\(test.errors.text)")
    #expect(test.trials.map(\.scenario.name) == ["mixed", "mixed"])
    #expect(test.output.text.contains("scenario mixed"))
    #expect(test.output.text.contains("  other "))
  }

  @Test("'compare' says that a script is no workload to measure")
  func script() throws {
    let test = try TestWorld()
    try test.write(
      """
      { "name": "order", "summary": "in order", "source": "a test",
        "workload": { "script": { "roles": { "A": [{ "do": "get" }] }, "order": [] } } }
      """, "order.json")
    let code = world(test).perform(
      ["compare", "order", "--scenarios", test.folder + "/StressScenarios"])
    #expect(code == .usage || code == .badScenario)
    #expect(test.trials.isEmpty)
  }

  @Test("'compare' writes only JSON to standard output if '--json -' is given")
  func standardOutput() throws {
    let test = try TestWorld()
    #expect(world(test).perform(["compare", "--json", "-"] + short) == .met)
    let value = try JSONReader.read(Array(test.output.text.utf8))
    guard case .object(let members) = value.content else {
      Issue.record("no document")
      return
    }
    #expect(members.first?.key == "schema")
    #expect(test.errors.text.contains("2 strategies on 1 workload"))
  }
}

/// `@unchecked Sendable`: all accesses are under the lock.
private final class LockedDictionary: Caches.Cache, @unchecked Sendable {
  private let lock = NSLock()
  private var values: [String: [UInt8]] = [:]

  func value(forKey key: String) -> [UInt8]? { lock.withLock { values[key] } }
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    lock.withLock { values[key] = value }
  }
  func removeValue(forKey key: String) { lock.withLock { values[key] = nil } }
  func removeAllValues() { lock.withLock { values = [:] } }
  var count: Int { lock.withLock { values.count } }
}
