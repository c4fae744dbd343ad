import Foundation
import InterlockTesting
import TestSupport
import Testing

@Suite("stress", .controlled, .offThePool)
struct StressTests {
  @Test("a conflict between callers is one issue at its line, with both sides and a replay")
  func conflict() throws {
    let run = try WatchedRun("swift-testing", "Stressed/conflict")
    let line = try WatchedRun.line("adds", in: "STStressed.swift")
    #expect(run.status == 1, "\(run.output)")
    #expect(run.issues.count == 3, "\(run.issues)")
    for issue in run.issues {
      #expect(issue.test == "conflict(_:)")
      #expect(issue.place == line)
      #expect(issue.text.contains("first, in the section: write"))
      #expect(issue.text.contains("second, at its begin: write"))
      #expect(issue.text.contains("Counter.add()"))
    }
    for kind in ["threads", "tasks", "queue"] {
      #expect(run.issues.count { $0.text.contains("replay: \"s1-4-500-\(kind)-") } == 1)
    }
  }

  @Test("sections under a lock give no issue, whatever makes the calls")
  func locked() throws {
    let run = try WatchedRun("swift-testing", "Stressed/locked")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.issues.isEmpty, "\(run.issues)")
    #expect(run.output.contains("50 rounds of 4 threads without an issue; sections were checked"))
  }

  @Test("an error of the body is one issue, which ends the run")
  func throwsError() throws {
    let run = try WatchedRun("swift-testing", "Stressed/throwsError")
    #expect(run.issues.count == 1, "\(run.issues)")
    #expect(run.issues.first?.text.contains("round 3 threw: Refused()") == true)
    #expect(run.issues.first?.text.contains("replay: stress(replay:") == true)
    #expect(run.output.contains("failed in round 4 of 50"), "\(run.output)")
  }

  @Test("a failed expectation in a caller is an issue of the test at its line, and ends the run")
  func expects() throws {
    let run = try WatchedRun("swift-testing", "Stressed/expects")
    let line = try WatchedRun.line("expects", in: "STStressed.swift")
    #expect((1...2).contains(run.issues.count), "\(run.issues)")
    #expect(run.issues.allSatisfy { $0.test == "expects()" && $0.place == line })
    #expect(run.output.contains("failed in round 4 of 50"), "\(run.output)")
  }

  @Test("a known issue covers a conflict of a stress")
  func known() throws {
    let run = try WatchedRun("swift-testing", "Stressed/known")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.issues.count == 1 && run.issues.allSatisfy(\.isKnown), "\(run.issues)")
  }

  @Test("a conflict in a stress of a watched test is one issue")
  func watched() throws {
    let run = try WatchedRun("swift-testing", "Stressed/watched")
    #expect(run.issues.count == 1, "\(run.issues)")
  }

  @Test("a stress in a stress is refused in one line")
  func nested() throws {
    let run = try WatchedRun("swift-testing", "Stressed/nested")
    #expect(run.issues.count == 1, "\(run.issues)")
    #expect(run.issues.first?.text.contains("cannot stress another") == true)
  }

  @Test("a deadlock of callers ends the process, with its cause, the test and the replay")
  func hangs() throws {
    let run = try WatchedRun("swift-testing", "Stressed/hangs")
    let line = try WatchedRun.line("crosses", in: "STStressed.swift")
    #expect(run.status == 86, "\(run.output)")
    #expect(run.output.contains("test: Stressed.hangs() (STStressed.swift:"), "\(run.output)")
    #expect(run.output.contains("replay: stress(replay: \"s1-2-100-threads-"))
    #expect(run.output.contains("deadlock (cycle)"))
    #expect(run.output.contains(line))
  }

  @Test("the replay string draws the same numbers, also from the environment")
  func draws() throws {
    let first = try WatchedRun("swift-testing", "Stressed/draws")
    let match = try #require(first.output.firstMatch(of: /replay: stress\(replay: "([^"]+)"/))
    let again = try WatchedRun(
      "swift-testing", "Stressed/draws",
      environment: ["INTERLOCK_STRESS_REPLAY": String(match.1)])
    let other = try WatchedRun("swift-testing", "Stressed/draws")
    func drawn(_ run: WatchedRun) -> Substring? { run.output.firstMatch(of: /drawn: .*/)?.0 }
    #expect(drawn(first) != nil)
    #expect(drawn(first) == drawn(again))
    #expect(drawn(first) != drawn(other))
  }

  @Test("a text in the environment that is no replay string is refused in one line")
  func badReplay() throws {
    let run = try WatchedRun(
      "swift-testing", "Stressed/draws", environment: ["INTERLOCK_STRESS_REPLAY": "garbage"])
    #expect(run.status == 1, "\(run.output)")
    #expect(run.issues.map(\.test) == ["draws()"], "\(run.issues)")
    #expect(
      run.issues.first?.text.contains(
        "INTERLOCK_STRESS_REPLAY: a replay is a string that a failure has printed, as"
          + " 's1-8-200-threads-…', found 'garbage'") == true, "\(run.issues)")
    let token = try WatchedRun(
      "swift-testing", "Stressed/locked",
      environment: ["INTERLOCK_STRESS_REPLAY": "i1-0aa65d63-w0-ab3c4-0bee42"])
    #expect(token.status == 0, "\(token.output)")
  }

  @Test("in XCTest, a conflict and an error fail their test")
  func xctest() throws {
    let conflict = try WatchedRun("xctest", "XCStressed/testStress")
    let line = try WatchedRun.line("adds", in: "STStressed.swift")
    #expect(conflict.status == 1, "\(conflict.output)")
    #expect(conflict.output.contains("\(line): error: XCStressed.testStress"), "\(conflict.output)")
    let error = try WatchedRun("xctest", "XCStressed/testThrows")
    #expect(error.status == 1 && error.output.contains("threw: Refused()"), "\(error.output)")
    let quiet = try WatchedRun("xctest", "XCStressed/testQuietStress")
    #expect(quiet.status == 0, "\(quiet.output)")
  }

  @Test(
    "bad numbers are refused in one line", arguments: [(0, 1), (-1, 1), (1025, 1), (1, 0), (1, -5)])
  func badNumbers(_ callers: Int, _ rounds: Int) async {
    let error = await #expect(throws: StressError.self) {
      try await stress(1, callers: callers, rounds: rounds) { _, _ in }
    }
    #expect(error?.description.contains("must be from 1 to") == true)
    #expect(error?.description.contains("\n") == false)
  }

  @Test(
    "a bad replay string is refused",
    arguments: ["", "s1-8-200-threads-zz-1", "i1-2-3", "s1-1-1-threads-1-1"])
  func badReplay(_ text: String) async {
    await #expect(throws: StressError.self) { try await stress(1, replay: text) { _, _ in } }
  }

  @Test("a limit of no time is refused")
  func badLimit() async {
    await #expect(throws: StressError.self) {
      try await stress(1, hangLimit: .zero) { _, _ in }
    }
  }
}
