import Foundation
import TestSupport
import Testing

@Suite("an explored test that uses atomics", .controlled, .offThePool)
struct AtomicTests {
  private func run(_ filter: String) throws -> WatchedRun {
    try WatchedRun("swift-testing", "ExploredAtomics/\(filter)", of: "CheckedTests")
  }

  @Test("fails in the order that loses an update")
  func lostUpdate() throws {
    let run = try run("(lostUpdate|inTasks)")
    #expect(run.issues.map(\.test).sorted() == ["inTasks()", "lostUpdate()"])
    for issue in run.issues {
      #expect(issue.text.contains("→ 1) == 2"), "\(issue.text)")
      #expect(issue.text.contains(/atomic load #\d+ +ExploredAtomics.swift:/), "\(issue.text)")
      #expect(issue.text.contains(/atomic store #\d+ +ExploredAtomics.swift:/), "\(issue.text)")
    }
  }

  @Test("passes in every order if it is right, and nothing in it is left uncontrolled")
  func right() throws {
    let run = try run("right")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.matches(of: /explore: all \d+ orders pass;/).count == 6, "\(run.output)")
    #expect(!run.output.contains("NOT controlled"), "\(run.output)")
  }

  @Test("is not controlled where the check of memory is off, and the answer says so")
  func switchedOff() throws {
    let run = try WatchedRun(
      "swift-testing", "ExploredAtomics/lostUpdate", of: "CheckedTests",
      environment: ["INTERLOCK_OPTIONS": "memory=off"])
    #expect(run.issues.isEmpty, "\(run.output)")
    #expect(run.output.contains("all 1 order of the controlled calls pass"), "\(run.output)")
    #expect(run.output.contains("NOT controlled here: atomics in module"), "\(run.output)")
  }

  @Test("names the loop that waits for a value that no thread writes")
  func livelock() throws {
    let run = try run("neverSet")
    let text = run.issues.first?.text ?? ""
    #expect(text.contains("livelock: a loop waits for a value that no thread writes"), "\(text)")
    #expect(text.contains(/body waits: atomic load #\d+ +ExploredAtomics.swift:/), "\(text)")
  }

  @Test("is tried on narrow pools if a loop keeps a task's thread, and the answer has the width")
  func narrowPool() throws {
    let text = try run("spinsOnNarrowPool").issues.first?.text ?? ""
    #expect(text.contains("where tasks have 1 thread; 2 suffice"), "\(text)")
  }

  @Test("is tried with each number of rounds of a loop that counts them")
  func countedRounds() throws {
    for test in ["localRounds", "propertyRounds", "roundsInTask"] {
      let run = try run(test)
      #expect(run.issues.map(\.test) == ["\(test)()"], "\(run.output)")
      #expect(run.issues.first?.text.contains("→ 2) != 2") == true, "\(run.output)")
    }
  }

  @Test("has the outcomes of every order that a search without reduction finds")
  func outcomes() throws {
    let run = try WatchedRun("swift-testing", "ExploredOutcomes/", of: "CheckedTests")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.matches(of: /explore: all \d+ orders? pass/).count >= 30, "\(run.output)")
  }

  @Test("replays its failing order")
  func replay() throws {
    let run = try run("replayed")
    #expect(run.issues.map(\.test) == ["replayed()", "replayed()"], "\(run.output)")
    #expect(run.issues.allSatisfy { $0.text.contains("→ 1) == 2") }, "\(run.output)")
  }
}
