import TestSupport
import Testing

/// The option `explore`, on tests that name nothing of Interlock.
@Suite("the option explore", .serialized, .controlled, .offThePool)
struct TestsAsTheyAreTests {
  private func run(_ options: String, version: String = "6.3") throws -> WatchedRun {
    try WatchedRun(
      "swift-testing", "STAsTheyAre/", environment: ["INTERLOCK_OPTIONS": options],
      version: version)
  }

  @Test("without it, no test is explored")
  func off() throws {
    let run = try run("delays=off")
    #expect(!run.output.contains("explore:"), "\(run.output)")
    #expect(run.output.contains("Test run with 13 tests in 1 suite"), "\(run.output)")
  }

  @Test("fails a test that some order fails, and warns of one that only a late time fails")
  func tests() throws {
    let run = try run("explore=tests explore_budget=4")
    let found = run.issues.filter { !$0.isKnown }.sorted { $0.test < $1.test }
    #expect(found.map(\.test) == ["lateCheck()", "lateTask()"], "\(run.output)")
    let texts = found.map(\.text)
    #expect(texts.allSatisfy { $0.contains("\nreplay: @Test(.explored(") }, "\(texts)")
    #expect(
      texts.map { $0.contains("\nonly where a sleep or a limit of time ends late: ") }
        == [true, false], "\(texts)")
    // The test with a process, and the one whose number of tasks changes.
    let summary = "interlock: explore: 18 test cases: 14 in every order, 1 failed, "
    let late = "1 failed only where a time is late, "
    let reasons = ["not controlled: Foundation.Process", "the body is not deterministic"]
    let once = reasons.map { "1 once, as usual (\($0))" }.joined(separator: ", ")
    #expect(run.output.contains(summary + late + once + "\n"), "\(run.output)")
    // No execution prints its known issue.
    #expect(!run.output.contains("recorded a known issue"), "\(run.output)")
  }

  @Test("in one order, each test passes")
  func oneOrder() throws {
    let run = try run("explore=one_order")
    #expect(run.issues.isEmpty, "\(run.output)")
    #expect(run.output.contains(" in one order, "), "\(run.output)")
  }

  @Test("a value that it cannot take is one line, and nothing is explored")
  func mistakes() throws {
    let run = try run("explore=all")
    let line =
      "interlock: INTERLOCK_OPTIONS: 'explore' must be one of off, tests, one_order, found 'all'\n"
    #expect(run.output.contains(line), "\(run.output)")
    #expect(!run.output.contains("explore: "), "\(run.output)")
  }
}
