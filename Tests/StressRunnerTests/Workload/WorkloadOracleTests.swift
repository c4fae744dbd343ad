import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import StressRunner

@Suite("An oracle", .hangLimit)
struct WorkloadOracleTests {
  @Test(
    "An oracle finds a call that completes twice",
    arguments: [Workload.Driver.dispatchQueue, .threads])
  func completesTwice(_ driver: Workload.Driver) async throws {
    let subject = ClosureSubject { operation, completion in
      completion(.done)
      completion(.done)
    }
    let failures = await run(workload(driver, callers: 3, [.set], keys: 1), on: subject)
    let failure = try #require(failures.first)
    #expect(failures.count == 1)
    #expect(failure.oracle == .completesOnce)
    #expect(failure.evidence.contains("a set of key-0 of caller"))
    // The number of other calls that also completed twice before the end depends on timing.
    #expect(failure.evidence.contains("completed again"))
  }

  @Test(
    "A call that reports a failed check is found with any oracles",
    arguments: Workload.Driver.allCases)
  func failedCheck(_ driver: Workload.Driver) async {
    let subject = ClosureSubject { _, completion in completion(.failed("the sum is 199")) }
    let failures = await run(
      workload(driver, callers: 1, [.get], keys: 1), on: subject, oracles: [])
    #expect(
      failures == [
        .init(oracle: .checksHold, evidence: "a get of key-0 failed: the sum is 199")
      ])
  }

  @Test("An oracle finds a value that is not the key's", arguments: Workload.Driver.allCases)
  func brokenValue(_ driver: Workload.Driver) async {
    let subject = ClosureSubject { _, completion in completion(.value([1, 2, 3])) }
    let failures = await run(workload(driver, callers: 1, [.get], keys: 1), on: subject)
    #expect(
      failures == [
        .init(
          oracle: .valuesIntact, evidence: "a get of key-0 returned 3 bytes that are not its value")
      ])
  }

  @Test("An oracle finds a read without a reply")
  func missingReply() async {
    let subject = ClosureSubject { _, completion in completion(.done) }
    let failures = await run(workload(.threads, callers: 1, [.get], keys: 1), on: subject)
    #expect(failures.map(\.oracle) == [.valuesIntact])
  }

  @Test("An oracle finds a prepared key that a read misses")
  func lostDuring() async {
    let subject = ClosureSubject { operation, completion in
      completion(operation.kind == .get ? .value(nil) : .done)
    }
    let workload = workload(.threads, callers: 1, [.get], keys: 1, preparesAllKeys: true)
    #expect(
      await run(workload, on: subject) == [
        .init(
          oracle: .nothingLost,
          evidence: "a get of key-0 found nothing: it was stored before, and never removed")
      ])
  }

  @Test("An oracle reports no loss of a value that may have been removed, or was never stored")
  func notLost() async {
    let subject = ClosureSubject(finalState: .init(count: 0, entries: [:])) {
      operation, completion in
      completion(operation.kind == .get ? .value(nil) : .done)
    }
    for kinds: [StressRunner.Operation.Kind] in [
      [.set, .get, .remove], [.set, .removeAll], [.get],
    ] {
      #expect(await run(workload(.threads, callers: 2, kinds, keys: 1), on: subject) == [])
    }
  }

  @Test("Only the scenario's oracles are evaluated")
  func notAsked() async {
    let subject = ClosureSubject(finalState: .init(count: 9, totalCost: 9, entries: [:])) {
      $1(.value([1]))
      $1(.value([1]))
    }
    let workload = workload(.threads, callers: 2, [.get], keys: 1, preparesAllKeys: true)
    #expect(await run(workload, on: subject, oracles: []) == [])
  }

  @Test("Oracles judge the state at rest by its count, costs, keys and values")
  func finalState() async {
    let state = FinalState(
      count: 2, totalCost: 10, entries: ["key-0": 16], values: ["key-0": [0], "stray": [1]])
    let subject = ClosureSubject(finalState: state) { $1(.done) }
    let failures = await run(
      workload(.threads, callers: 3, [.set], keys: 3, .perCaller), on: subject)
    #expect(
      failures == [
        .init(
          oracle: .valuesIntact,
          evidence: "at the end, key-0 held 1 bytes that are not its value"),
        .init(
          oracle: .countMatches, evidence: "at the end, the count was 2, and there were 1 entries"),
        .init(
          oracle: .totalCostMatches,
          evidence: "at the end, the total cost was 10, and the entries' costs added up to 16"),
        .init(
          oracle: .nothingLost,
          evidence: "at the end, key-1 was not there, and 1 more: stored, and never removed"),
      ])
  }

  @Test("Oracles judge neither a cost that is not kept nor a missing state")
  func untracked() async {
    let keepsNoCost = ClosureSubject(finalState: .init(count: 0, entries: [:])) { $1(.value(nil)) }
    #expect(await run(workload(.threads, callers: 1, [.get]), on: keepsNoCost) == [])
    let tellsNothing = ClosureSubject { $1(.done) }
    #expect(await run(workload(.threads, callers: 1, [.set]), on: tellsNothing) == [])
  }
}

@Suite("A call from a task")
struct CompletionFromTaskTests {
  @Test("A call from a task that completes twice ends the process with a message")
  func twice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let subject = ClosureSubject { operation, completion in
        completion(.done)
        completion(.done)
      }
      _ = await subject.perform(Operation(kind: .set, key: "key-0"))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("tried to resume its continuation more than once"))
  }
}
