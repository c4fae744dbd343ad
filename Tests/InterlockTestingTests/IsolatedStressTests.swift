import Foundation
import InterlockTesting
import TestSupport
import Testing

@Suite("a stress in a process of its own", .controlled, .offThePool)
struct IsolatedStressTests {
  private func run(_ test: String) throws -> WatchedRun {
    try WatchedRun("swift-testing", "Isolated/\(test)\\(")
  }

  @Test("a stress in its own process makes a trap an issue, with its reason, at the user's line")
  func crashes() throws {
    let run = try run("crashes")
    let line = try WatchedRun.line("traps", in: "STIsolated.swift")
    #expect(run.status == 1, "\(run.output)")
    #expect(run.issues.map(\.test) == ["crashes()"], "\(run.issues)")
    #expect(run.issues.first?.place == line)
    let text = run.issues.first?.text ?? ""
    #expect(text.contains("the stress crashes: signal "))
    #expect(text.contains("Fatal error: Index out of range"))
    #expect(text.contains("replay: stress(replay: \"s1-2-5-threads-"))
  }

  @Test("a stress in its own process makes a hang an issue, with its cause, and the tests go on")
  func hangs() throws {
    let run = try run("hangs")
    let line = try WatchedRun.line("crosses", in: "STStressed.swift")
    #expect(run.status == 1, "\(run.output)")
    #expect(run.issues.map(\.test) == ["hangs()"], "\(run.issues)")
    #expect(run.issues.first?.place == line)
    #expect(run.issues.first?.text.contains("deadlock (cycle)") == true)
    #expect(run.output.matches(of: /after the hang/).count == 1, "\(run.output)")
  }

  @Test("a stress in its own process passes on the conflicts of one case of a parameterised test")
  func conflict() throws {
    let run = try run("conflict")
    let line = try WatchedRun.line("adds", in: "STStressed.swift")
    #expect(run.issues.map(\.place) == [line], "\(run.issues)\(run.output)")
    #expect(run.issues.first?.text.contains("conflict on 'counter") == true)
    #expect(run.output.contains("500 rounds of 4 threads without an issue"), "\(run.output)")
    #expect(run.output.contains(/failed in round \d+ of 1000/), "\(run.output)")
  }

  @Test("the waiting process reports the conflicts and expectations of a stress in its own process")
  func reports() throws {
    let adds = try WatchedRun.line("adds", in: "STStressed.swift")
    let conflict = try ReportedRun("Isolated/conflict\\(")
    #expect(conflict.results == [.init(rule: "race", place: adds)], "\(conflict.run.output)")
    let expects = try WatchedRun.line("expects in a child", in: "STIsolated.swift")
    let failed = try ReportedRun("Isolated/expects\\(")
    #expect(Set(failed.results.map(\.rule)) == ["checks-hold"], "\(failed.run.output)")
    #expect(Set(failed.results.map(\.place)) == [expects], "\(failed.run.output)")
  }

  @Test("a stress in its own process leaves the reports of a CI service to the waiting process")
  func serviceReports() throws {
    let summary = NSTemporaryDirectory() + "interlock-\(UUID().uuidString).md"
    defer { try? FileManager.default.removeItem(atPath: summary) }
    let run = try WatchedRun(
      "swift-testing", "Isolated/conflict\\(",
      environment: [
        "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary, "INTERLOCK_CI_REPORTS": "on",
      ])
    #expect(run.output.matches(of: #/::error /#).count == 1, "\(run.output)")
    let text = try String(contentsOfFile: summary, encoding: .utf8)
    #expect(text.matches(of: #/## Interlock: 1 error/#).count == 1, "\(text)")
    #expect(text.matches(of: #/## /#).count == 1, "\(text)")
  }

  @Test("a stress in its own process passes on a failed expectation, at its line")
  func expects() throws {
    let run = try run("expects")
    let line = try WatchedRun.line("expects in a child", in: "STIsolated.swift")
    #expect((1...2).contains(run.issues.count), "\(run.issues)")
    #expect(run.issues.allSatisfy { $0.place == line }, "\(run.issues)")
    #expect(run.issues.first?.text.contains("Expectation failed") == true, "\(run.issues)")
  }

  @Test("a stress in its own process names the exit code with which its body ended the process")
  func exits() throws {
    let run = try run("exits")
    #expect(run.issues.count == 1, "\(run.issues)\(run.output)")
    let text = run.issues.first?.text ?? ""
    #expect(text.contains("ended with code 7 before the stress did"))
    #expect(!text.contains("findings are reported"), "\(text)")
  }

  @Test("each of two stresses of one test in their own processes runs once")
  func twoCalls() throws {
    let run = try run("twoCalls")
    #expect(run.issues.count == 1, "\(run.issues)\(run.output)")
    #expect(run.issues.first?.text.contains("threw: Refused()") == true)
    #expect(run.output.matches(of: /3 rounds of 2 threads without an issue/).count == 1)
    #expect(run.output.contains("failed in round 3 of 4"), "\(run.output)")
  }

  @Test("a stress in its own process may take longer than the hang limit of the waiting process")
  func lasts() throws {
    let run = try run("lasts")
    #expect(run.status == 0 && run.issues.isEmpty, "\(run.output)")
  }

  @Test("the crash of a stress in its own process may be a known issue")
  func known() throws {
    let run = try run("known")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.issues.count == 1 && run.issues.allSatisfy(\.isKnown), "\(run.issues)")
  }

  @Test("a crash and a conflict of a stress in its own process fail a test of XCTest")
  func xctest() throws {
    let crash = try WatchedRun("xctest", "XCIsolated/testCrash")
    let line = try WatchedRun.line("crashes in XCTest", in: "XCWatched.swift")
    #expect(crash.status == 1, "\(crash.output)")
    #expect(crash.output.contains("\(line): error: XCIsolated.testCrash"), "\(crash.output)")
    #expect(crash.output.contains("crashed on purpose"), "\(crash.output)")
    let conflict = try WatchedRun("xctest", "XCIsolated/testConflict")
    let adds = try WatchedRun.line("adds", in: "STStressed.swift")
    #expect(conflict.status == 1, "\(conflict.output)")
    #expect(conflict.output.contains("\(adds): error: XCIsolated.testConflict"))
  }
}
