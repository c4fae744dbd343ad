import Findings
import Foundation
import TestSupport
import Testing

/// Flaky tests that others have published, as tests whose source names nothing of Interlock.
@Suite("published flaky tests", .serialized, .controlled, .offThePool)
struct PublishedFlakesTests {
  @Test(
    "each fails in an order, with a token that replays it, and its repair passes in every order")
  func found() throws {
    let (run, tests) = try explore("explore_budget=60", "STPublished/")
    let cases = Dictionary(grouping: tests.cases, by: \.test).compactMapValues(\.first)
    #expect(cases.count == 10, "\(run.output)")
    for (name, words) in [
      ("cancelsOthers", "Expectation failed: await second.value"),
      ("yieldsOnce", #"Expectation failed: (model.text → "installing") == "downloading""#),
      ("noReceiver", "NoReceiver()"),
      ("hopsInOrder", "Expectation failed: (screen.events → "),
      ("cancelledEarly", "was ended by SIGILL"),
    ] {
      let id = "WatchedTests.STPublished/\(name)"
      #expect(cases["\(id)Repaired()"]?.result == .everyOrder, "\(name): \(run.output)")
      let wrong = try #require(cases["\(id)()"], "\(name): \(run.output)")
      #expect(wrong.result == .failed, "\(name)")
      let failure = try #require(wrong.failure, "\(name)")
      #expect(failure.report.contains(words), "\(failure.report)")
      let replayed = try explore(
        "explore_replay=\(failure.token)", "STPublished/\(name)\\(")
      #expect(replayed.tests.cases.map(\.result) == [.failed], "\(name): \(replayed.run.output)")
    }
  }

  private func explore(
    _ options: String, _ filter: String
  ) throws -> (run: WatchedRun, tests: ExploredTests) {
    let folder = NSTemporaryDirectory() + "interlock-published-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let run = try WatchedRun(
      "swift-testing", filter,
      environment: [
        "INTERLOCK_OPTIONS": "explore=tests \(options)", "INTERLOCK_EXPLORE_RESULTS": folder,
      ])
    return (run, try #require(ExploredTests(folder: folder), "\(run.output)"))
  }
}
