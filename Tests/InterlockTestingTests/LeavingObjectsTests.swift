import Foundation
import InterlockTesting
import TestSupport
import Testing

@Suite("a watched test that must leave no object behind", .controlled, .offThePool)
struct LeavingObjectsTests {
  @Test("a watched test fails for a lock that it still holds, at the line that acquired the lock")
  func locks() throws {
    let run = try WatchedRun("swift-testing", "LeavingObjects/")
    let made = "is still held; made at "
    for (test, mark, text) in [
      ("lockOfFoundation()", "leaves a lock", made),
      ("mutex()", "leaves a mutex", made),
      ("readWriteLock()", "leaves a write lock", made),
      ("readLock()", "leaves a read lock", made),
      ("lockOfABlock()", "leaves a block's lock", made),
      ("lockOfATask()", "leaves a task's lock", made),
      ("lockOfAThread()", "leaves a thread's lock", made),
    ] {
      expect(run, test, try line(mark), ["a lock acquired at \(try line(mark))", text])
    }
    #expect(run.status == 1)
    #expect(run.issues.filter { $0.test == "allowed()" }.isEmpty, "\(run.issues)")
  }

  @Test("a watched test fails for a queue, source, timer or block that it leaves, at their lines")
  func objects() throws {
    let run = try WatchedRun("swift-testing", "LeavingObjects/")
    for (test, mark, text) in [
      ("suspendedQueue()", "leaves a queue", "a queue made at", "is still suspended"),
      ("inactiveQueue()", "leaves inactive", "a queue made at", "was not activated"),
      ("timer()", "leaves a timer", "a timer made at", "was not cancelled"),
      ("timerOfATask()", "leaves a task's timer", "a timer made at", "was not cancelled"),
      ("inactiveTimer()", "leaves an inactive timer", "a timer made at", "was not activated"),
      ("suspendedSource()", "leaves a source", "a dispatch source made at", "is still suspended"),
      ("delayedBlock()", "leaves a delayed block", "delayed block queued at", "has not begun yet"),
      ("delayedItem()", "leaves an item", "a delayed block queued at", "has not begun yet"),
    ].map({ ($0.0, $0.1, [$0.2, $0.3]) }) {
      expect(run, test, try line(mark), text)
    }
    // A source may still be cancelled: no report says that it never is.
    #expect(!run.output.contains("never"), "\(run.output)")
  }

  @Test("a watched test knows the tasks of tasks whose making calls have not returned")
  func tasksJustMade() throws {
    let place = try line("leaves the tasks of tasks")
    for _ in 0..<5 {
      let run = try WatchedRun("swift-testing", "LeavingObjects/ofTasksJustMade")
      let found = run.issues.filter { $0.place == place }
      #expect(found.map { $0.text.contains("800 tasks made at") } == [true], "\(run.issues)")
    }
  }

  @Test("a watched test that leaves objects only warns if its trait says so")
  func warned() throws {
    let run = try WatchedRun("swift-testing", "LeavingObjects/warned", version: "6.3")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.issues.map(\.test) == ["warned()"], "\(run.issues)\(run.output)")
  }

  @Test("a watched test has no issue of objects that have ended, or of tests beside it")
  func stays() throws {
    let run = try WatchedRun("swift-testing", "StayingObjects/")
    #expect(run.status == 0 && run.issues.isEmpty, "\(run.issues)\(run.output)")
    let filter = "(StayingObjects/|LeavingObjects/(timer\\(|lockOfABlock|suspendedQueue))"
    let both = try WatchedRun("swift-testing", filter)
    #expect(
      both.issues.map(\.test).sorted() == ["lockOfABlock()", "suspendedQueue()", "timer()"],
      "\(both.issues)\(both.output)")
  }

  @Test("a watched test of XCTest fails for a lock that it leaves")
  func xctest() throws {
    let leaves = try WatchedRun("xctest", "XCLeaving/testLeavesALock")
    #expect(leaves.status == 1, "\(leaves.output)")
    let place = try WatchedRun.line("leaves a lock of XCTest", in: "XCWatched.swift")
    #expect(leaves.output.contains("a lock acquired at \(place)"), "\(leaves.output)")
    let stays = try WatchedRun("xctest", "XCLeaving/testUnlocks")
    #expect(stays.status == 0, "\(stays.output)")
  }

  private func expect(
    _ run: WatchedRun, _ test: String, _ place: String, _ texts: [String],
    at location: SourceLocation = #_sourceLocation
  ) {
    let found = run.issues.filter { $0.test == test }
    #expect(found.map(\.place) == [place], "\(test): \(run.issues)", sourceLocation: location)
    for text in texts {
      #expect(
        found.allSatisfy { $0.text.contains(text) }, "\(text): \(found)", sourceLocation: location)
    }
  }

  private func line(_ mark: String) throws -> String {
    try WatchedRun.line(mark, in: "STLeavingObjects.swift")
  }
}
