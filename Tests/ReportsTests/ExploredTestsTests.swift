import Foundation
import TestSupport
import Testing

@testable import Findings

/// The results of explored tests in each format.
@Suite("Explored tests")
struct ExploredTestsTests {
  private static let tests = ExploredTests(cases: [
    .init(test: "A.B/a()", place: "B.swift:1", result: .everyOrder, orders: 2),
    .init(test: "A.B/b()", place: "B.swift:2", result: .once, reason: "not controlled: a socket"),
    .init(test: "A.B/c()", place: "B.swift:3", result: .everyOrder, orders: 6),
    .init(test: "A.B/d()", place: "B.swift:4", result: .failedLate, orders: 3),
    .init(test: "A.B/e()", place: "B.swift:5", result: .once, reason: "more < than \"once\""),
    .init(test: "A.B/f()", place: "B.swift:6", result: .once, reason: "not controlled: a socket"),
    .init(test: "A.B/g()", place: "B.swift:7", result: .someOrders, orders: 900),
    .init(test: "A.B/h()", place: "B.swift:8", result: .failed, orders: 1),
    .init(test: "A.B/i()", place: "B.swift:9", result: .notRun),
  ])
  private static let summary =
    "9 test cases: 2 in every order, 1 in some orders, 1 failed, 1 failed only where a time is"
    + " late, 1 not run after a failure, 2 once, as usual (not controlled: a socket), 1 once, as"
    + " usual (more < than \"once\")"

  private static func context(_ tests: ExploredTests?) -> FindingFormat.Context {
    var context = FindingFormat.Context(
      version: "1.2.3", activity: "process", repository: Repository(around: "/"))
    context.explored = tests
    return context
  }

  @Test("the summary of explored tests counts the results in order, and the reasons by frequency")
  func summary() {
    #expect(Self.tests.summary == Self.summary)
    #expect(ExploredTests().summary == nil)
    let one = ExploredTests(cases: [Self.tests.cases[6]], isOneOrder: true)
    #expect(one.summary == "1 test case: 1 in one order")
    var both = one
    both.formUnion(ExploredTests(cases: [Self.tests.cases[0]]))
    #expect(both.summary == "2 test cases: 1 in every order, 1 in one order")
  }

  @Test("an invocation of SARIF has the summary of explored tests, the counts, and tests run once")
  func sarif() throws {
    let text = try #require(FindingFormat.sarif.text([], Self.context(Self.tests)))
    let log = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let run = try #require((log["runs"] as? [[String: Any]])?.first)
    let invocation = try #require((run["invocations"] as? [[String: Any]])?.first)
    #expect(invocation["executionSuccessful"] as? Bool == true)
    let note = try #require(
      (invocation["toolExecutionNotifications"] as? [[String: Any]])?.first)
    #expect(note["level"] as? String == "note")
    let message = note["message"] as? [String: String]
    #expect(message?["text"] == "explore: \(Self.summary)")
    let properties = invocation["properties"] as? [String: Any]
    let counts = try #require(properties?["explore"] as? [String: Any])
    #expect(counts["cases"] as? Int == 9 && counts["everyOrder"] as? Int == 2)
    #expect(counts["someOrders"] as? Int == 1 && counts["failed"] as? Int == 1)
    #expect(counts["failedLate"] as? Int == 1 && counts["notRun"] as? Int == 1)
    let once = try #require(counts["once"] as? [[String: String]])
    #expect(once.map { $0["test"] } == ["A.B/b()", "A.B/e()", "A.B/f()"])
    #expect(once.first?["reason"] == "not controlled: a socket")
    #expect(once.first?["place"] == "B.swift:2")
  }

  @Test("a suite of JUnit's XML has the summary of explored tests and counts of their results")
  func junit() throws {
    let text = try #require(FindingFormat.junit.text([], Self.context(Self.tests)))
    for (name, value) in [
      ("explore.cases", "9"), ("explore.everyOrder", "2"), ("explore.someOrders", "1"),
      ("explore.failed", "1"), ("explore.failedLate", "1"),
      ("explore.notRun", "1"),
      ("explore.once: not controlled: a socket", "2"),
      ("explore.once: more &lt; than &quot;once&quot;", "1"),
    ] {
      #expect(text.contains("<property name=\"\(name)\" value=\"\(value)\""), "\(text)")
    }
    #expect(text.contains("<property name=\"explore\" value=\"9 test cases: "))
  }

  @Test("without explored tests, each format is unchanged")
  func none() throws {
    for tests in [nil, ExploredTests()] {
      let sarif = try #require(FindingFormat.sarif.text([], Self.context(tests)))
      #expect(sarif.contains("\"invocations\": [{\"executionSuccessful\": true}],\n"))
      let junit = try #require(FindingFormat.junit.text([], Self.context(tests)))
      #expect(!junit.contains("explore"))
    }
  }
}
