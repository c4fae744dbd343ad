import TestSupport
import Testing

/// The option `explore`, on tests that do not use Interlock.
@Suite("the option explore", .serialized, .controlled, .offThePool)
struct TestsAsTheyAreTests {
  private func run(_ options: String, version: String = "6.3") throws -> WatchedRun {
    try WatchedRun(
      "swift-testing", "STAsTheyAre/", environment: ["INTERLOCK_OPTIONS": options],
      version: version)
  }

  @Test("without the option 'explore', no test is explored")
  func off() throws {
    let run = try run("delays=off")
    #expect(!run.output.contains("explore:"), "\(run.output)")
    #expect(run.output.contains("Test run with 14 tests in 1 suite"), "\(run.output)")
  }

  @Test("the option 'explore' fails a test that an order fails, and warns if only a late time does")
  func tests() throws {
    let run = try run("explore=tests explore_budget=4")
    let found = run.issues.filter { !$0.isKnown }.sorted { $0.test < $1.test }
    #expect(found.map(\.test) == ["lateCheck()", "lateTask()"], "\(run.output)")
    let texts = found.map(\.text)
    #expect(texts.allSatisfy { $0.contains("\nreplay: @Test(.explored(") }, "\(texts)")
    #expect(
      texts.map { $0.contains("\nonly where a sleep or a limit of time ends late: ") }
        == [true, false], "\(texts)")
    // Run once: the test with a process, and the test whose tasks differ in each process.
    let summary = "interlock: explore: 19 test cases: 15 in every order, 1 failed, "
    let late = "1 failed only where a time is late, "
    let reasons = ["not controlled: Foundation.Process", "the body is not deterministic"]
    let once = reasons.map { "1 once, as usual (\($0))" }.joined(separator: ", ")
    #expect(run.output.contains(summary + late + once + "\n"), "\(run.output)")
    // No execution prints the test's known issue.
    #expect(!run.output.contains("recorded a known issue"), "\(run.output)")
  }

  @Test("with the option 'explore=one_order', each test passes")
  func oneOrder() throws {
    let run = try run("explore=one_order")
    #expect(run.issues.isEmpty, "\(run.output)")
    #expect(run.output.contains(" in one order, "), "\(run.output)")
  }

  private static let cases = "XCAsTheyAre"

  private func runXCTest(_ options: String, _ tests: String = cases) throws -> String {
    try WatchedRun("xctest", tests, environment: ["INTERLOCK_OPTIONS": options]).output
  }

  @Test("the option 'explore' explores setUp and tearDown of XCTest too, with waits and main queue")
  func xctest() throws {
    let output = try runXCTest("explore=tests explore_budget=4")
    let failed = output.split(separator: "\n").filter { $0.contains(": error: ") }
    let late = try WatchedRun.line("late task", in: "XCAsTheyAre.swift")
    let order = try WatchedRun.line("second answer first", in: "XCAsTheyAre.swift")
    #expect(failed.count == 2, "\(output)")
    #expect(failed.first?.contains("\(late): error: XCAsTheyAre.testLateTask : ") == true)
    #expect(
      failed.last?.contains("\(order): error: XCAsTheyAre.testOrderOfExpectations : ") == true)
    // The choices: two calls of an actor; two answers and a wait; none, as the main queue waits
    // for the test; an answer before or during a wait without a limit.
    for (test, orders) in [
      ("testActor", 2), ("testExpectations", 8), ("testMainQueue", 1), ("testWaitForever", 3),
    ] {
      let line = output.split(separator: "\n").first {
        $0.hasPrefix("explore: ") && $0.hasSuffix("  XCAsTheyAre.\(test)")
      }
      let all = orders == 1 ? "the only order passes" : "all \(orders) orders pass"
      let claim = "explore: \(all); "
      #expect(line?.hasPrefix(claim) == true, "\(test): \(output)")
    }
    #expect(output.contains("testSkipped' skipped"), "\(output)")
    // The answer of a test says what a wait with a limit leaves out.
    let words = "; waits for expectations end last, behind the queued blocks of the main queue"
    for (test, hasWords) in [("testExpectations", true), ("testActor", false)] {
      let line = output.split(separator: "\n").first { $0.hasSuffix("  XCAsTheyAre.\(test)") }
      #expect(line?.contains(words) == hasWords, "\(test): \(output)")
    }
    let summary =
      "interlock: explore: 17 test cases: 11 in every order, 2 failed,"
      + " 1 once, as usual (not controlled: Foundation.Process),"
      + " 1 once, as usual (not controlled: XCTest's measure),"
      + " 1 once, as usual (not controlled: a timer of a run loop),"
      + " 1 once, as usual (not controlled: an expectation by a predicate)\n"
    #expect(output.contains(summary), "\(output)")
  }

  @Test("a token replays a failure of XCTest, and no test is explored without the option")
  func xctestReplay() throws {
    let test = Self.cases + "/testLateTask"
    let output = try runXCTest("explore=tests explore_budget=4", test)
    let command = try #require(
      output.firstMatch(of: /explore_replay=([^"]+)" swift test --filter '(.+)\$'/), "\(output)")
    #expect(command.2 == "XCAsTheyAre/testLateTask")
    let replayed = try runXCTest("explore=tests explore_replay=\(command.1)", test)
    #expect(replayed.contains("- the task is late"), "\(replayed)")
    let usual = try runXCTest("delays=off", test)
    #expect(usual.contains("testLateTask' passed"), "\(usual)")
    #expect(!usual.contains("explore:"), "\(usual)")
  }

  @Test("in one order, tests of XCTest pass without real waits")
  func xctestInOneOrder() throws {
    let output = try runXCTest("explore=one_order")
    #expect(!output.contains(": error: "), "\(output)")
    #expect(output.contains("interlock: explore: 17 test cases: 13 in one order, "), "\(output)")
  }

  @Test("a test that explores a body itself runs as usual")
  func explores() throws {
    let run = try WatchedRun(
      "swift-testing", "STExplores/", environment: ["INTERLOCK_OPTIONS": "explore=tests"])
    #expect(run.issues.isEmpty, "\(run.output)")
    let once = "1 test case: 1 once, as usual (not controlled: a call of explore)\n"
    #expect(run.output.contains(once), "\(run.output)")
  }

  @Test("a test with too many threads at once runs as usual")
  func manyThreads() throws {
    let output = try runXCTest("explore=tests explore_budget=200", "XCManyThreads")
    let reason = "not controlled: more than 10,000 threads, blocks and tasks under way at once"
    #expect(output.contains("1 test case: 1 once, as usual (\(reason))\n"), "\(output)")
  }

  @Test("a class of XCTest does its work around a test in each order")
  func surroundings() throws {
    let output = try runXCTest("explore=tests explore_budget=4", "XCSurrounds")
    #expect(output.contains("interlock: explore: 1 test case: 1 in every order\n"), "\(output)")
  }

  @Test("a token of another test is reported in a line, and the test runs as usual")
  func foreignToken() throws {
    let token = "i1-9ccde3b9-w2147483648-bc22-af7ac5"
    let output = try runXCTest(
      "explore=tests explore_replay=\(token)", Self.cases + "/testActor")
    #expect(output.contains("; the test runs once, as usual  XCAsTheyAre.testActor\n"), "\(output)")
    #expect(output.contains("testActor' passed"), "\(output)")
  }

  @Test("a failed XCTAssert fails its order")
  func xctestAssertion() throws {
    let output = try runXCTest("delays=off", "XCExplores")
    #expect(output.contains(" - the task is late\nthe body failed (order number "), "\(output)")
    #expect(output.contains("\nreplay: explore(replay: \""), "\(output)")
    #expect(output.contains("Executed 1 test, with 1 failure"), "\(output)")
  }

  @Test("a base class of XCTest explores the tests of its subclasses")
  func xctestBaseClass() throws {
    let output = try runXCTest("delays=off", "XCExplored")
    #expect(output.contains("explore: all 2 orders pass; "), "\(output)")
    #expect(output.contains(": error: XCExplored.testWrong : "), "\(output)")
    #expect(output.contains("testSkipped' skipped"), "\(output)")
    #expect(output.contains("the test runs once, as usual  XCExplored.testMeasure\n"), "\(output)")
    #expect(output.contains("with 1 test skipped and 1 failure"), "\(output)")
    #expect(output.contains("\nreplay: override var replay: String? { \""), "\(output)")
  }

  @Test("an invalid value of the option 'explore' is one line, and nothing is explored")
  func mistakes() throws {
    let run = try run("explore=all")
    let line =
      "interlock: INTERLOCK_OPTIONS: 'explore' must be one of off, tests, one_order, found 'all'\n"
    #expect(run.output.contains(line), "\(run.output)")
    #expect(!run.output.contains("explore: "), "\(run.output)")
  }
}
