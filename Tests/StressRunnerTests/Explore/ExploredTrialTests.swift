import Explorer
import Foundation
import TestSupport
import Testing

@testable import StressRunner
import ProcessInspection
import Hangs

/// True if a child can be explored in this build.
private var canExplore: Bool {
  #if arch(x86_64) && os(Linux)
  !Platform.isUnderThreadSanitizer
  #else
  false
  #endif
}

@Suite(
  "A trial that explores", .disabled(if: !canExplore, "calls cannot be controlled here"),
  .hangLimit)
struct ExploredTrialTests {
  private func explore(
    _ subject: String, callers: Int = 2, driver: Workload.Driver = .threads,
    _ kinds: [StressRunner.Operation.Kind] = [.action("run")], oracles: [Oracle] = [],
    change: (inout ExploreRequest) -> Void = { _ in }
  ) throws -> TrialResult {
    var scenario = makeScenario(callers: callers, driver: driver, time: 120)
    scenario.workload.phases[0].operations = .sequence(kinds)
    scenario.oracles = oracles
    var trial = makeTrial(subject, scenario)
    var request = ExploreRequest()
    change(&request)
    trial.explore = request
    var runner = TrialRunner(jobs: 1)
    runner.executable = childExecutable
    var result: TrialResult?
    _ = runner.run([trial]) { if case .finished(_, let found) = $0 { result = found } }
    return try #require(result)
  }

  private func failure(_ result: TrialResult) throws -> ExplorationFailure {
    try #require(
      result.observation.exploration?.outcome.failure,
      "\(result.verdict), \(result.observation.errorOutput)")
  }

  @Test(
    "An exploration finds an update that is lost in one order, and its token replays it",
    arguments: Workload.Driver.allCases)
  func lostUpdate(_ driver: Workload.Driver) throws {
    let result = try explore("lost-update", driver: driver, oracles: [.totalsMatch])
    #expect(result.verdict.kind == .violation)
    #expect(result.observation.oracleFailures.map(\.oracle) == [.totalsMatch])
    let found = try failure(result)
    #expect(found.schedule.switches <= 3)
    #expect(!found.schedule.steps.isEmpty)
    let again = try explore("lost-update", driver: driver, oracles: [.totalsMatch]) {
      $0.token = found.token
    }
    #expect(try failure(again).schedule.steps.map(\.thread) == found.schedule.steps.map(\.thread))
  }

  @Test("A token replays an order that depends on the order of a set, in other processes")
  func setReplayed() throws {
    let found = try failure(explore("locks-in-the-order-of-a-set"))
    for _ in 0..<3 {
      let again = try failure(explore("locks-in-the-order-of-a-set") { $0.token = found.token })
      #expect(again.verdict == .failed)
      #expect(again.schedule.steps.map(\.operation) == found.schedule.steps.map(\.operation))
    }
  }

  @Test("An exploration finishes the repaired twin", arguments: Workload.Driver.allCases)
  func repaired(_ driver: Workload.Driver) throws {
    let result = try explore("kept-update", driver: driver, oracles: [.totalsMatch])
    #expect(result.verdict == .passed, "\(result.observation.errorOutput)")
    #expect(result.observation.exploration?.isFinished == true)
  }

  @Test("An exploration explains a pool without a free thread")
  func starvation() throws {
    let result = try explore("semaphore-over-async", driver: .dispatchQueue, [.get]) {
      $0.options.poolWidth = 2
    }
    #expect(result.verdict.kind == .deadlock)
    #expect(result.verdict.cause == .starvation)
    #expect(try failure(result).dryPoolWidth == 2)
    let wide = try explore("semaphore-over-async", driver: .dispatchQueue, [.get]) {
      $0.options.poolWidth = 3
    }
    #expect(wide.verdict == .passed)
  }

  @Test("A call that reports a failed check fails its order")
  func failedCheck() throws {
    let result = try explore("checks-a-lost-update")
    #expect(result.verdict.kind == .violation)
    #expect(result.observation.oracleFailures.map(\.oracle) == [.checksHold])
  }

  @Test("A trap in one order is found with its schedule")
  func trap() throws {
    let result = try explore("traps-in-one-order")
    #expect(result.verdict.kind == .crashed)
    #expect(try !failure(result).token.isEmpty)
  }

  @Test("A body that is not deterministic is undecided with any expectation")
  func notDeterministic() throws {
    let result = try explore("random-locks")
    #expect(result.verdict.kind == .undecided, "\(result.verdict)")
    #expect(result.isMet == false)
  }

  @Test("An exploration that must explain its orders names the lock and its steps")
  func explainsOrders() throws {
    let result = try explore("global-locks") {
      isolating(&$0)
      $0.options.explainsOrders = true
    }
    let sources = try #require(result.observation.exploration?.sources)
    #expect(sources.contains { $0.contains("steps of 2 threads have") }, "\(sources)")
    let silent = try explore("global-locks", change: isolating)
    #expect(silent.observation.exploration?.isFinished == true)
    #expect(silent.observation.exploration?.sources == nil)
  }

  private func isolating(_ request: inout ExploreRequest) {
    (request.options.isIsolated, request.options.isolatesEach) = (true, true)
  }

  @Test("A global that makes orders differ is named, and with a process for each order all pass")
  func globals() throws {
    let together = try explore("global-locks")
    #expect(try failure(together).verdict == .notDeterministic)
    let apart = try explore("global-locks", change: isolating)
    #expect(apart.verdict == .passed, "\(apart.verdict) \(apart.observation.errorOutput)")
    #expect(apart.observation.exploration?.isFinished == true)
  }

  @Test("Chance that makes orders differ is found with a process for each order too")
  func chanceIsolated() throws {
    let result = try explore("chance-locks", change: isolating)
    #expect(try failure(result).verdict == .notDeterministic)
  }

  @Test("With a process for each order, a trap that leaves its global behind is found and replayed")
  func globalTrap() throws {
    let found = try failure(try explore("global-trap", change: isolating))
    #expect(found.verdict == .crashed(signal: 4) || found.verdict == .crashed(signal: 5))
    #expect(found.repetition == .fails)
    #expect(found.schedule.switches <= 3)
    let again = try explore("global-trap") {
      isolating(&$0)
      $0.token = found.token
    }
    #expect(try failure(again).verdict == found.verdict)
    #expect(try failure(again).schedule.steps.map(\.thread) == found.schedule.steps.map(\.thread))
  }

  @Test(
    "With a process for each order, an oracle that failed is shown, and a deadlock is explained")
  func evidenceOfChildren() throws {
    let lost = try explore("lost-update", oracles: [.totalsMatch], change: isolating)
    #expect(lost.verdict.kind == .violation)
    #expect(lost.observation.oracleFailures.map(\.oracle) == [.totalsMatch])
    let starved = try explore("semaphore-over-async", driver: .dispatchQueue, [.get]) {
      isolating(&$0)
      $0.options.poolWidth = 2
    }
    #expect(starved.verdict.cause == .starvation)
    #expect(try !failure(starved).explanation.isEmpty)
  }

  @Test("A script's order is one of the explored orders")
  func script() throws {
    var scenario = makeScenario(time: 120)
    let call = Script.Call(.action("run"))
    scenario.workload = Workload(
      script: Script(
        roles: [.init("A", [call]), .init("B", [call])],
        order: []),
      keys: 1, valueBytes: 0, preparesAllKeys: false, seed: 1)
    scenario.oracles = [.totalsMatch]
    var trial = makeTrial("lost-update", scenario)
    trial.explore = ExploreRequest()
    let results = run([trial], jobs: 1).results
    #expect(results["lost-update"]?.verdict.kind == .violation)
  }
}
