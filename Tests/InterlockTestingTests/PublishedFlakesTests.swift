import Findings
import Foundation
import TestSupport
import Testing

/// Flaky tests that others have published, in sources that do not use Interlock.
@Suite("published flaky tests", .serialized, .controlled, .offThePool)
struct PublishedFlakesTests {
  @Test(
    "each published test fails in an order with a token, and its repair passes in every order")
  func found() throws {
    let (run, tests) = try explore("explore_budget=60", "STPublished/")
    let wrong = [
      "cancelsOthers": "Expectation failed: await second.value",
      "yieldsOnce": #"Expectation failed: (model.text → "installing") == "downloading""#,
      "noReceiver": "NoReceiver()",
      "hopsInOrder": "Expectation failed: (screen.events → ",
      "cancelledEarly": "cancel task 1  STPublished.swift:236\n",
      "advancesEarly": "for a continuation that was never resumed",
      "schedulesLate": "was ended by SIGILL",
      "resumesTwice": "resume again  STPublished+Races.swift:164\n",
      "entersAgain": "Expectation failed: await prefetched.value == shown",
    ]
    #expect(tests.cases.count == 2 * wrong.count, "\(run.output)")
    for (name, words) in wrong {
      let token = try check(tests, "STPublished/\(name)", words, call: "()")
      let replayed = try explore("explore_replay=\(token)", "STPublished/\(name)\\(")
      #expect(replayed.tests.cases.map(\.result) == [.failed], "\(name): \(replayed.run.output)")
      let report = replayed.tests.cases.first?.failure?.report ?? ""
      #expect(report.contains(" (the token's order); it has "), "\(report)")
    }
  }

  @Test(
    "an order fails the published test of XCTest, and every order of its repair passes")
  func expectation() throws {
    let (_, tests) = try explore("explore_budget=60", "XCPublished", of: "xctest")
    let name = "XCPublished/testPostsEarly"
    let token = try check(tests, name, "Exceeded timeout of 1.0 seconds")
    let replayed = try explore("explore_replay=\(token)", name, of: "xctest")
    #expect(replayed.tests.cases.map(\.result) == [.failed], "\(replayed.run.output)")
  }

  /// Checks a test and its repair. Returns the token of the order that fails.
  private func check(
    _ tests: ExploredTests, _ name: String, _ words: String, call: String = ""
  ) throws -> String {
    let cases = Dictionary(grouping: tests.cases, by: \.test).compactMapValues(\.first)
    let repaired = try #require(cases["WatchedTests.\(name)Repaired\(call)"], "\(name)")
    #expect(repaired.result == .everyOrder, "\(name)")
    let wrong = try #require(cases["WatchedTests.\(name)\(call)"], "\(name)")
    #expect(wrong.result == .failed, "\(name)")
    let failure = try #require(wrong.failure, "\(name)")
    #expect(failure.report.contains(words), "\(failure.report)")
    return failure.token
  }

  private func explore(
    _ options: String, _ filter: String, of library: String = "swift-testing"
  ) throws -> (run: WatchedRun, tests: ExploredTests) {
    let folder = NSTemporaryDirectory() + "interlock-published-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let run = try WatchedRun(
      library, filter,
      environment: [
        "INTERLOCK_OPTIONS": "explore=tests \(options)", "INTERLOCK_EXPLORE_RESULTS": folder,
      ])
    return (run, try #require(ExploredTests(folder: folder), "\(run.output)"))
  }
}
