import TestSupport
import Testing

/// Tests that a trait explores, run in separate processes.
@Suite("the trait .explored", .serialized, .controlled, .offThePool)
struct ExploredTraitTests {
  @Test("the trait .explored fails just the tests that some order fails, in parallel suites")
  func suite() throws {
    let run = try WatchedRun("swift-testing", "STExplored/")
    let found = Dictionary(
      run.issues.map { ($0.test, $0.text) }, uniquingKeysWith: { first, _ in first })
    #expect(run.issues.count == 5, "\(run.issues)")
    #expect(found["overdrawn()"]?.contains("failed: await purse.coins >= 0") == true)
    #expect(found["updateOnThreads()"]?.contains("→ 1) == 2") == true)
    #expect(found["deadlocked()"]?.contains("deadlock (cycle)") == true)
    #expect(found["throwing()"]?.contains("the body threw: Broken()") == true)
    #expect(found["crashes()"]?.contains("was ended by SIGILL") == true)
    #expect(
      found.values.allSatisfy { $0.contains("\nreplay: @Test(.explored(replay: \"i1-") })
    // One for each case of a parameterised test, and one for a test on the main actor.
    #expect(run.output.matches(of: /explore: all 2 orders pass.*STExplored/).count == 3)
    // The trait of the test applies, not that of the suite.
    #expect(run.output.contains("explore: 1 order tried, none failed"), "\(run.output)")
    #expect(run.output.contains("Test run with 8 tests in 1 suite failed"))
  }

  @Test("the trait .explored fails a body that takes a sleep for an order, unless time is exact")
  func sleeping() throws {
    let run = try WatchedRun("swift-testing", "STSleeping/")
    let wrong = ["delayedBlock", "microseconds", "taskSleeps", "threadSleeps", "twoSleepers"]
    #expect(run.issues.map(\.test).sorted() == wrong.map { "\($0)()" }, "\(run.issues)")
    #expect(run.output.matches(of: /explore: (?:all \d+ orders|the only order) pass/).count == 2)
    let slept = run.issues.first { $0.test == "taskSleeps()" }?.text ?? ""
    #expect(slept.contains(/Task\.sleep  STSleeping\.swift:\d+\n *\d  end of sleep\n/), "\(slept)")
    let limits = "with exact times; on a pool of 3 threads"
    #expect(run.output.contains(limits), "\(run.output)")
  }

  @Test("the trait .explored finishes the orders of tests that yield until another task is done")
  func polling() throws {
    let run = try WatchedRun("swift-testing", "STPolling/")
    #expect(run.issues.map(\.test) == ["twoRounds()"], "\(run.issues)")
    let limit = "a loop that yields was held back after 3 times in a row"
    let passing = run.output.matches(of: /explore: all (\d+) orders pass.*STPolling/)
    #expect(passing.count == 6 && passing.allSatisfy { $0.0.contains(limit) }, "\(run.output)")
  }

  @Test("the trait .explored with one order prints nothing for a pass, and is the same each time")
  func oneOrder() throws {
    let runs = try (0..<2).map { _ in try WatchedRun("swift-testing", "STOneOrder/") }
    for run in runs {
      #expect(run.issues.map(\.test) == ["failing()"], "\(run.issues)")
      #expect(!run.output.contains("explore:"), "\(run.output)")
    }
    let texts = runs.flatMap(\.issues).map(\.text)
    #expect(texts[0].contains("(text → \"ab\") == \"ba\"") && texts[0] == texts[1], "\(texts)")
    #expect(texts[0].contains("replay: @Test(.explored(.exactTime, replay: \"i1-"), "\(texts)")
    // An hour of sleep ends at once in virtual time.
    #expect(runs[0].output.contains("sleeping() passed"))
  }

  @Test("the trait .explored reports an unfit token, and an invalid option, in one line")
  func badInput() throws {
    let run = try WatchedRun("swift-testing", "STReplayed")
    let texts = run.issues.sorted { $0.test < $1.test }.map(\.text)
    #expect(texts.count == 2, "\(run.issues)")
    #expect(texts.first?.contains("a budget must be more than 0") == true, "\(texts)")
    #expect(texts.last?.contains("token") == true, "\(texts)")
  }

  @Test("the trait .explored runs an order in its own process only if its body leaves state behind")
  func staticState() throws {
    let run = try WatchedRun("swift-testing", "STStatic/")
    let issues = run.issues.sorted { $0.test < $1.test }
    #expect(issues.map(\.test) == ["loadsTwice()", "waitsForInitialiser()"], "\(issues)")
    let text = issues.first?.text ?? ""
    #expect(text.contains("Expectation failed: await Self.cache.loads == 1"), "\(text)")
    #expect(issues.last?.text.contains("deadlock") == true, "\(issues)")
    let passing = run.output.matches(
      of: /explore: (?:all (\d) orders pass|the only order passes)(.*)  STStatic/)
    let orders = passing.map { ($0.1, $0.2.contains("each order in a process of its own")) }
    #expect(orders.filter(\.1).map(\.0) == ["2", "2", "2", "2"], "\(run.output)")
    #expect(orders.filter { !$0.1 }.map(\.0) == [nil], "\(run.output)")
  }
}
