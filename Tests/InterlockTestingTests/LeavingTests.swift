import Foundation
import InterlockTesting
import TestSupport
import Testing

@Suite("a watched test whose tasks must end with it", .controlled, .offThePool)
struct LeavingTests {
  @Test("a watched test fails at each place whose tasks have not ended, with what they wait for")
  func leaves() throws {
    let run = try WatchedRun("swift-testing", "Leaving/")
    #expect(run.status == 1, "\(run.output)")
    let waits = "waits for a continuation at \(try line("waits"))"
    for (test, mark, text) in [
      ("continuation()", "leaves a continuation", waits),
      ("unsafeContinuation()", "leaves an unsafe continuation", "waits for a continuation at"),
      ("stream()", "leaves a stream", "has outlived its test"),
      ("child()", "leaves a group", "is in a task group"),
      ("child()", "leaves a group", "a child made at \(try line("leaves a child"))"),
      ("ofATask()", "leaves the task of a task", waits),
      ("ofAThread()", "leaves the task of a thread", waits),
      ("several()", "leaves three", "3 tasks made at"),
      ("thread()", "leaves a thread", "a thread made at"),
      ("notAllowed()", "leaves a continuation", waits),
    ] {
      let found = run.issues.filter { $0.test == test }
      #expect(found.count == 1, "\(test): \(run.issues)")
      #expect(found.first?.place == (try line(mark)), "\(run.issues)")
      #expect(found.first?.text.contains(text) == true, "\(run.issues)")
    }
    let both = Set(run.issues.filter { $0.test == "awaitsAnother()" }.map(\.place))
    #expect(both == [try line("leaves the first"), try line("leaves the second")])
    let throwing = run.issues.filter { $0.test == "throwing()" }
    #expect(throwing.contains { $0.text.contains("has outlived its test") }, "\(run.issues)")
    // A continuation may still be resumed: no report says that it never is.
    #expect(!run.output.contains("never"), "\(run.output)")
  }

  @Test("a watched test leaves out the tasks and the places that its trait allows")
  func allowed() throws {
    let run = try WatchedRun("swift-testing", "Leaving/(ignored|warned|allowed)", version: "6.3")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.issues.map(\.test) == ["warned()"], "\(run.issues)\(run.output)")
  }

  @Test("a watched test has no issue of tasks that end within the grace, or of tests beside it")
  func stays() throws {
    let run = try WatchedRun("swift-testing", "Staying/")
    #expect(run.status == 0 && run.issues.isEmpty, "\(run.issues)\(run.output)")
    let both = try WatchedRun("swift-testing", "(Staying/|Leaving/several)")
    #expect(both.issues.map(\.test) == ["several()"], "\(both.issues)\(both.output)")
  }

  @Test("a watched test of XCTest fails for a task that it leaves, as the process reports too")
  func xctest() throws {
    let leaves = try WatchedRun("xctest", "XCLeaving/testLeaves")
    #expect(leaves.status == 1, "\(leaves.output)")
    let place = try WatchedRun.line("leaves a task of XCTest", in: "XCWatched.swift")
    #expect(leaves.output.contains("\(place): error: XCLeaving.testLeaves"), "\(leaves.output)")
    let stays = try WatchedRun("xctest", "XCLeaving/testStays")
    #expect(stays.status == 0, "\(stays.output)")
    #expect(try ReportedRun("Leaving/several").results.map(\.rule) == ["outlives-test"])
  }

  private func line(_ mark: String) throws -> String {
    try WatchedRun.line(mark, in: "STLeaving.swift")
  }
}
