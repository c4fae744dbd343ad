import Findings
import Foundation
import TestSupport
import Testing

/// The effects of the options of `interlock hunt` in a test process.
@Suite("the options of a hunt", .serialized, .controlled, .offThePool)
struct HuntedTestsTests {
  /// A run of tests with a folder for its results and one for its failing orders.
  private final class Hunt {
    let folder = NSTemporaryDirectory() + "interlock-hunted-\(UUID().uuidString)"
    var corpus: String { folder + "/orders" }

    init() throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func run(
      _ library: String, _ filter: String, _ options: String
    ) throws -> (run: WatchedRun, tests: ExploredTests?) {
      let run = try WatchedRun(
        library, filter,
        environment: [
          "INTERLOCK_OPTIONS": "explore=tests \(options)", "INTERLOCK_EXPLORE_RESULTS": folder,
          "INTERLOCK_EXPLORE_CORPUS": corpus,
        ])
      return (run, ExploredTests(folder: folder))
    }
  }

  @Test("a filter chooses the tests that a hunt explores; other tests run as usual")
  func filter() throws {
    let (run, tests) = try Hunt().run(
      "swift-testing", "STAsTheyAre/", "explore_budget=1 explore_filter=/plain|/arguments")
    let names = ["arguments(_:)", "arguments(_:)", "plain()"].map {
      "WatchedTests.STAsTheyAre/\($0)"
    }
    #expect(tests?.cases.map(\.test).sorted() == names, "\(run.output)")
    #expect(tests?.cases.allSatisfy { $0.result == .everyOrder && $0.orders == 2 } == true)
    #expect(run.output.contains("Test run with 14 tests in 1 suite "), "\(run.output)")
    let xctest = try Hunt().run(
      "xctest", "XCAsTheyAre",
      "explore_budget=1 explore_filter=^WatchedTests.XCAsTheyAre/testActor$")
    #expect(
      xctest.tests?.cases.map(\.test) == ["WatchedTests.XCAsTheyAre/testActor"],
      "\(xctest.run.output)")
  }

  @Test("an invalid pattern or number of a hunt's option is reported in one line")
  func mistakes() throws {
    for (option, expected) in [
      ("explore_filter=(", "'explore_filter' must be a regular expression, found '('"),
      ("explore_orders=0", "'explore_orders' must be a whole number from 1 to "),
      ("explore_seed=-1", "'explore_seed' must be a whole number from 0 to "),
    ] {
      let run = try WatchedRun(
        "swift-testing", "NoTest", environment: ["INTERLOCK_OPTIONS": option])
      #expect(run.output.contains("interlock: INTERLOCK_OPTIONS: \(expected)"), "\(run.output)")
    }
  }

  @Test("a hunt writes a failing order with its token, the line that replays it, and its file")
  func failure() throws {
    let hunt = try Hunt()
    let (run, tests) = try hunt.run("swift-testing", "STAsTheyAre/lateTask", "explore_budget=4")
    let tested = try #require(tests?.cases.first, "\(run.output)")
    #expect(tested.test == "WatchedTests.STAsTheyAre/lateTask()" && tested.result == .failed)
    #expect(tested.place.hasPrefix("STAsTheyAre.swift:"))
    let failure = try #require(tested.failure)
    #expect(failure.report.contains("Expectation failed: await purse.coins == 20\n"))
    #expect(failure.line == "@Test(.explored(replay: \"\(failure.token)\"))")
    let corpus = try #require(failure.corpus)
    #expect(corpus.hasPrefix(hunt.corpus + "/"))
    #expect(try String(contentsOfFile: corpus, encoding: .utf8).contains("\norder "))
    let replayed = try Hunt().run(
      "swift-testing", "STAsTheyAre/lateTask", "explore_replay=\(failure.token)")
    #expect(replayed.tests?.cases.map(\.result) == [.failed], "\(replayed.run.output)")
    let again = try hunt.run("swift-testing", "STAsTheyAre/lateTask", "explore_budget=4").run
    #expect(again.output.contains("(an order kept from an earlier run)"), "\(again.output)")
  }

  @Test("the line that replays a test of XCTest is a member of its class, for this test alone")
  func xctestFailure() throws {
    let (run, tests) = try Hunt().run("xctest", "XCAsTheyAre/testLateTask", "explore_budget=4")
    let tested = try #require(tests?.cases.first, "\(run.output)")
    #expect(tested.test == "WatchedTests.XCAsTheyAre/testLateTask" && tested.result == .failed)
    let failure = try #require(tested.failure)
    let replay = "name.hasSuffix(\".testLateTask\") ? \"\(failure.token)\" : nil"
    #expect(failure.line == "override var replay: String? { \(replay) }")
  }

  @Test("with 'explore_stop', no test begins after a test that an order fails")
  func stops() throws {
    let options = "explore_budget=4 explore_stop=on"
    let hunt = try Hunt()
    let (run, tests) = try hunt.run("xctest", "XCAsTheyAre", options)
    let cases = try #require(tests?.cases, "\(run.output)")
    let failed = try #require(cases.firstIndex { $0.result == .failed }, "\(cases)")
    #expect(cases.count > failed + 1 && cases[(failed + 1)...].allSatisfy { $0.result == .notRun })
    let over = "explore: an order of another test fails; the test does not run  XCAsTheyAre."
    #expect(run.output.contains(over), "\(run.output)")
    // The process of Swift Testing, which `swift test` starts next, explores nothing.
    let next = try hunt.run("swift-testing", "STAsTheyAre/", options)
    let later = next.tests?.cases.dropFirst(cases.count) ?? []
    #expect(!later.isEmpty && later.allSatisfy { $0.result == .notRun }, "\(next.run.output)")
    #expect(next.run.issues.isEmpty, "\(next.run.issues)")
    let alone = try Hunt().run("swift-testing", "STAsTheyAre/", options)
    let only = try #require(alone.tests?.cases.first { $0.result == .failed }, "\(alone.run)")
    #expect(alone.run.issues.map(\.test) == ["lateTask()"], "\(alone.run.issues)")
    // `hunt` prints the schedule once, at the end.
    let failure = try #require(only.failure)
    let rows = failure.report.split(separator: "\n")
    #expect(rows.count > 4)
    let shown = rows.filter { alone.run.output.contains($0) }
    #expect(shown == Array(rows.prefix(2)), "\(alone.run.output)")
  }

  @Test("'explore_orders' limits the orders of each test")
  func orders() throws {
    let (run, tests) = try Hunt().run(
      "swift-testing", "STAsTheyAre/plain", "explore_orders=1 explore_seed=3")
    #expect(tests?.cases.map(\.result) == [.someOrders], "\(run.output)")
    #expect(tests?.cases.first?.orders == 1)
  }

  @Test("the reports of the process, and the attachment of each test, say what was explored")
  func reports() throws {
    let hunt = try Hunt()
    let attachments = hunt.folder + "/attached"
    try FileManager.default.createDirectory(
      atPath: attachments, withIntermediateDirectories: true)
    let sarif = hunt.folder + "/a.sarif"
    let junit = hunt.folder + "/a.xml"
    let run = try WatchedRun(
      "swift-testing", "STAsTheyAre/plain|STAsTheyAre/withProcess",
      environment: [
        "INTERLOCK_OPTIONS": "explore=tests explore_budget=1 report=sarif:\(sarif)"
          + " report=junit:\(junit)"
      ], arguments: ["--attachments-path", attachments])
    let reason = "not controlled: Foundation.Process"
    let summary = "2 test cases: 1 in every order, 1 once, as usual (\(reason))"
    let log = try String(contentsOfFile: sarif, encoding: .utf8)
    #expect(log.contains("{\"text\": \"explore: \(summary)\"}"), "\(run.output)\n\(log)")
    let test = #"{"test": "WatchedTests.STAsTheyAre/withProcess()", "place": "STAsTheyAre.swift:"#
    #expect(log.contains(test), "\(log)")
    let suite = try String(contentsOfFile: junit, encoding: .utf8)
    #expect(suite.contains(#"<property name="explore" value="\#(summary)""#), "\(suite)")
    let files = try FileManager.default.contentsOfDirectory(atPath: attachments)
    let cases = try files.map { name in
      try JSONDecoder().decode(
        ExploredTests.Case.self,
        from: Data(contentsOf: URL(fileURLWithPath: "\(attachments)/\(name)")))
    }
    #expect(cases.map(\.result).sorted { $0.rawValue < $1.rawValue } == [.everyOrder, .once])
    #expect(cases.contains { $0.reason == reason }, "\(cases)")
  }
}
