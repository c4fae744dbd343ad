import Foundation
import InterlockTesting
import TestSupport
import Testing

@Suite("a watched test", .controlled, .offThePool)
struct WatchedTests {
  @Test("has a conflict of its tasks or threads as one issue, at its line, and goes on")
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
    let known = run.issues.filter { $0.test == "known()" }
    #expect(known.count == 1 && known.allSatisfy(\.isKnown), "\(run.issues)")
  }

  @Test("has no conflict of a test that runs at the same time")
  func together() throws {
    let run = try WatchedRun("swift-testing", "Together/")
    #expect(run.issues.map(\.test) == ["withConflict()"], "\(run.issues)\(run.output)")
  }

  @Test("shares a conflict with the test that the other side belongs to")
  func shared() throws {
    let run = try WatchedRun("swift-testing", "Shared/")
    #expect(Set(run.issues.map(\.test)) == ["first()", "second()"], "\(run.issues)\(run.output)")
    #expect(run.issues.count == 2)
  }

  @Test("does not get a conflict that no running test can be told for: the run does")
  func unowned() throws {
    let run = try WatchedRun("swift-testing", "Unowned/")
    #expect(run.status == 1, "\(run.output)")
    #expect(run.issues.map(\.test) == [""], "\(run.issues)\(run.output)")
    #expect(run.issues.first?.text.contains("of the run") == true)
  }

  @Test("fails by a potential finding if asked")
  func predicted() throws {
    let run = try WatchedRun("swift-testing", "Predicted/")
    let line = try WatchedRun.line("crosses", in: "STWatched.swift")
    #expect(run.status == 1, "\(run.output)")
    #expect(run.issues.map(\.test) == ["fails()"], "\(run.issues)\(run.output)")
    #expect(run.issues.first?.text.contains("potential, not observed: lock-order") == true)
    #expect(run.issues.first?.place == line)
  }

  @Test("leaves a potential finding that another test's stack shows to the run")
  func beside() throws {
    let run = try WatchedRun(
      "swift-testing", "Beside/", environment: ["INTERLOCK_OPTIONS": "predict=on"])
    let line = try WatchedRun.line("blocks", in: "STWatched.swift")
    let found = run.issues.filter { $0.place == line }
    #expect(found.map(\.test) == [""], "\(run.issues)\(run.output)")
    #expect(found.first?.text.contains("a test that is not watched") == true)
  }

  @Test("has its conflicts and potential findings in the report of the process, each once")
  func report() throws {
    let path = NSTemporaryDirectory() + "watched-\(UUID().uuidString).sarif"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let options = ["INTERLOCK_OPTIONS": "report=sarif:\(path)"]
    func rules(_ filter: String) throws -> [String] {
      let run = try WatchedRun("swift-testing", filter, environment: options)
      #expect(run.status == 1, "\(run.output)")
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      let sarif = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
      let runs = try #require(sarif["runs"] as? [[String: Any]])
      let results = try #require(runs.first?["results"] as? [[String: Any]])
      return results.compactMap { $0["ruleId"] as? String }
    }
    #expect(try rules("Watched/tasks") == ["race"])
    #expect(try rules("Predicted/fails") == ["potential-lock-order"])
  }

  @Test("explains a deadlock with the main queue, which a pool runs in a test process")
  func mainQueue() throws {
    let run = try WatchedRun("swift-testing", "MainQueue/")
    let line = try WatchedRun.line("waits for the main queue", in: "STWatched.swift")
    #expect(run.status == 86, "\(run.output)")
    #expect(run.output.contains("deadlock (cycle): 2 threads wait for each other"))
    #expect(run.output.contains("waits for the main queue at \(line)"), "\(run.output)")
  }

  @Test("ends the process by its hang, after the report has named it")
  func hangs() throws {
    let run = try WatchedRun("swift-testing", "Hanging/")
    #expect(run.status == 86, "\(run.output)")
    #expect(run.output.contains("test: Hanging.suspends() (STWatched.swift:"), "\(run.output)")
    #expect(run.output.contains("(suspended)"), "\(run.output)")
  }

  @Test("may be one of XCTest")
  func xctest() throws {
    let conflict = try WatchedRun("xctest", "XCWatched/testConflict")
    let line = try WatchedRun.line("meets", in: "Meeting.swift")
    #expect(conflict.status == 1, "\(conflict.output)")
    #expect(conflict.output.contains("\(line): error: XCWatched.testConflict"))
    let quiet = try WatchedRun("xctest", "XCWatched/testQuiet")
    #expect(quiet.status == 0, "\(quiet.output)")
  }
}
