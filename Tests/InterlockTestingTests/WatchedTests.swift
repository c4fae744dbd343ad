import Foundation
import InterlockTesting
import TestSupport
import Testing

@Suite("a watched test", .controlled, .offThePool)
struct WatchedTests {
  @Test("a watched test has a conflict of its threads as one issue, at its line, and goes on")
  func conflicts() throws {
    let run = try WatchedRun("swift-testing", "Watched/")
    let line = try WatchedRun.line("meets", in: "Meeting.swift")
    #expect(run.status == 1, "\(run.output)")
    for test in ["tasks()", "threads()", "parameters(_:)", "limited()", "confirms()", "exits()"] {
      let found = run.issues.filter { $0.test == test }
      #expect(found.count == 1, "\(test): \(run.issues)")
      let name = test.prefix { $0 != "(" }
      #expect(found.first?.place == line)
      #expect(found.first?.text.contains("conflict on 'of \(name)") == true)
      #expect(found.first?.isKnown == false)
    }
    #expect(run.issues.filter { $0.test == "inner()" }.count == 1, "\(run.issues)")
    #expect(!run.issues.contains { $0.test == "quiet()" }, "\(run.issues)")
    for test in ["known()", "knownOnThreads()", "knownInBlocks()"] {
      let known = run.issues.filter { $0.test == test }
      #expect(known.count == 1 && known.allSatisfy(\.isKnown), "\(test): \(run.issues)")
    }
  }

  @Test("the innermost trait of a watched test applies, not the traits of the suites around it")
  func replaced() throws {
    let waits = try WatchedRun("swift-testing", "Replaced/waitsLonger")
    #expect(waits.status == 0, "\(waits.output)")
    let predicts = try WatchedRun(
      "swift-testing", "Replaced/(doesNotPredict|Inner)", version: "6.3")
    #expect(predicts.status == 0, "\(predicts.output)")
    #expect(predicts.issues.map(\.test) == ["warns()"], "\(predicts.issues)\(predicts.output)")
    let around = try WatchedRun(
      "swift-testing", "Around/", environment: ["INTERLOCK_OPTIONS": "predict=on"], version: "6.3")
    #expect(around.status == 0 && around.issues.isEmpty, "\(around.issues)\(around.output)")
    #expect(around.output.contains("2 tests"), "\(around.output)")
  }

  @Test("a watched test has the failed expectations of its threads, in the case that makes them")
  func expects() throws {
    for (filter, mark) in [
      ("onThread", "on a thread"), ("inBlock", "in a block"),
      ("stressed", "on a thread of a stress"),
    ] {
      let run = try WatchedRun("swift-testing", "Expecting/\(filter)\\(")
      let line = try WatchedRun.line("expects \(mark)", in: "STWatched.swift")
      #expect(run.status == 1, "\(run.output)")
      #expect(Set(run.issues.map(\.place)) == [line], "\(run.issues)\(run.output)")
      #expect(run.issues.allSatisfy { $0.test.hasPrefix("\(filter)(") }, "\(run.issues)")
      #expect((1...2).contains(run.issues.count), "\(run.issues)")
    }
    let known = try WatchedRun("swift-testing", "Expecting/knownOnThread")
    #expect(known.status == 0, "\(known.output)")
    #expect(known.issues.count == 1 && known.issues.allSatisfy(\.isKnown), "\(known.issues)")
    let pool = try WatchedRun("swift-testing", "Expecting/leavesThePool")
    #expect(pool.status == 0 && pool.issues.isEmpty, "\(pool.output)")
  }

  @Test("a watched test fails by a stress in an exit test, and by a conflict without a stress")
  func exitTests() throws {
    let stressed = try WatchedRun("swift-testing", "Exiting/stresses")
    let adds = try WatchedRun.line("adds", in: "STStressed.swift")
    #expect(stressed.status == 1, "\(stressed.output)")
    #expect(stressed.issues.map(\.test) == ["stresses()"], "\(stressed.output)")
    #expect(stressed.issues.map(\.place) == [adds], "\(stressed.issues)")
    let conflict = try WatchedRun("swift-testing", "Exiting/hasAConflict")
    let exits = try WatchedRun.line("exits", in: "STWatched.swift")
    #expect(conflict.status == 1, "\(conflict.output)")
    #expect(conflict.issues.map(\.place) == [exits], "\(conflict.issues)")
  }

  @Test("a watched test has no conflict of a test that runs at the same time")
  func together() throws {
    let run = try WatchedRun("swift-testing", "Together/")
    #expect(run.issues.map(\.test) == ["withConflict()"], "\(run.issues)\(run.output)")
  }

  @Test("a conflict between two watched tests is an issue of both")
  func shared() throws {
    let run = try WatchedRun("swift-testing", "Shared/")
    #expect(Set(run.issues.map(\.test)) == ["first()", "second()"], "\(run.issues)\(run.output)")
    #expect(run.issues.count == 2)
  }

  @Test("a conflict that belongs to no running test is an issue of the run")
  func unowned() throws {
    let run = try WatchedRun("swift-testing", "Unowned/")
    #expect(run.status == 1, "\(run.output)")
    #expect(run.issues.map(\.test) == [""], "\(run.issues)\(run.output)")
    #expect(run.issues.first?.text.contains("of the run") == true)
  }

  @Test("a watched test fails by a potential finding if asked")
  func predicted() throws {
    let run = try WatchedRun("swift-testing", "Predicted/")
    let line = try WatchedRun.line("crosses", in: "STWatched.swift")
    #expect(run.status == 1, "\(run.output)")
    #expect(run.issues.map(\.test) == ["fails()"], "\(run.issues)\(run.output)")
    #expect(run.issues.first?.text.contains("potential, not observed: lock-order") == true)
    #expect(run.issues.first?.place == line)
  }

  @Test("a potential finding is an issue of the test that its stacks show, not of a namesake")
  func namesakes() throws {
    let run = try WatchedRun("swift-testing", "Namesakes/")
    let line = try WatchedRun.line("orders", in: "STWatched.swift")
    #expect(run.status == 1, "\(run.output)")
    // A wait for the thread may block the task, which is another finding.
    let found = run.issues.filter { $0.place == line }
    #expect(found.map(\.suite) == ["Crossing"], "\(run.issues)\(run.output)")
    #expect(found.map(\.test) == ["orders()"], "\(run.issues)\(run.output)")
  }

  @Test("a potential finding that shows no test is an issue of the run if several tests run")
  func unshown() throws {
    let run = try WatchedRun("swift-testing", "Unshown/")
    let line = try WatchedRun.line("crosses", in: "STWatched.swift")
    #expect(run.status == 1, "\(run.output)")
    // As above.
    let found = run.issues.filter { $0.place == line }
    #expect(found.map(\.test) == [""], "\(run.issues)\(run.output)")
    #expect(found.first?.text.contains("several tests were running") == true)
    let alone = try WatchedRun("swift-testing", "Predicted/")
    #expect(alone.issues.map(\.test) == ["fails()"], "\(alone.issues)\(alone.output)")
  }

  @Test("a potential finding with the stack of another test is an issue of the run")
  func beside() throws {
    let run = try WatchedRun(
      "swift-testing", "Beside/", environment: ["INTERLOCK_OPTIONS": "predict=on"])
    let line = try WatchedRun.line("blocks", in: "STWatched.swift")
    let found = run.issues.filter { $0.place == line }
    #expect(found.map(\.test) == [""], "\(run.issues)\(run.output)")
    #expect(found.first?.text.contains("a test that is not watched") == true)
  }

  @Test("the report of the process has each conflict and potential finding of a watched test once")
  func report() throws {
    #expect(try ReportedRun("Watched/tasks").results.map(\.rule) == ["race"])
    #expect(try ReportedRun("Predicted/fails").results.map(\.rule) == ["potential-lock-order"])
  }

  @Test("a watched test explains a deadlock with the main queue, which a pool runs")
  func mainQueue() throws {
    let run = try WatchedRun("swift-testing", "MainQueue/")
    let line = try WatchedRun.line("waits for the main queue", in: "STWatched.swift")
    #expect(run.status == 86, "\(run.output)")
    #expect(run.output.contains("deadlock (cycle): 2 threads wait for each other"))
    #expect(run.output.contains("waits for the main queue at \(line)"), "\(run.output)")
  }

  @Test("the hang of a watched test ends the process after the report has named the test")
  func hangs() throws {
    let run = try WatchedRun("swift-testing", "Hanging/")
    #expect(run.status == 86, "\(run.output)")
    #expect(run.output.contains("test: Hanging.suspends() (STWatched.swift:"), "\(run.output)")
    #expect(run.output.contains("(suspended)"), "\(run.output)")
  }

  @Test("a watched test of XCTest fails by a conflict")
  func xctest() throws {
    let conflict = try WatchedRun("xctest", "XCWatched/testConflict")
    let line = try WatchedRun.line("meets", in: "Meeting.swift")
    #expect(conflict.status == 1, "\(conflict.output)")
    #expect(conflict.output.contains("\(line): error: XCWatched.testConflict"))
    let quiet = try WatchedRun("xctest", "XCWatched/testQuiet")
    #expect(quiet.status == 0, "\(quiet.output)")
  }
}
