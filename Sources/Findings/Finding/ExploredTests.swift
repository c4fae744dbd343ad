/// The results of the tests that a process explored. The process's summary, the properties of its
/// reports and the file that `interlock hunt` reads are made from this value.
package struct ExploredTests: Codable, Sendable, Hashable {
  /// The result of a test case's orders.
  package enum Result: String, Codable, Sendable, Hashable, CaseIterable {
    /// Every order passes.
    case everyOrder
    /// The executed orders pass.
    case someOrders
    /// An order fails.
    case failed
    /// An order fails, but only if a sleep or a time limit ends late.
    case failedLate
    /// The test case ran once, without exploration.
    case once
    /// The test case did not run: an earlier failure has ended the search.
    case notRun
  }

  /// A failing order.
  package struct Failure: Codable, Sendable, Hashable {
    /// The verdict, the schedule and the evidence, as in the test's issue.
    package var report: String
    /// The token of the schedule.
    package var token: String
    /// The source line that replays the schedule.
    package var line: String
    /// The file that keeps the order for the next run; `nil` if it is not kept.
    package var corpus: String?

    /// Describes a failing order.
    package init(report: String, token: String, line: String, corpus: String? = nil) {
      self.report = report
      self.token = token
      self.line = line
      self.corpus = corpus
    }
  }

  /// A test case.
  package struct Case: Codable, Sendable, Hashable {
    /// The identifier of the test in filters of `swift test`: `BankTests.Bank/sums()`.
    package var test: String
    /// The place of the test in reports: `BankTests.swift:12`.
    package var place: String
    /// The result of the orders.
    package var result: Result
    /// Why the test ran once, without exploration; `nil` if it was explored.
    package var reason: String?
    /// The number of executed orders; `nil` if unknown.
    package var orders: Int?
    /// The failing order; `nil` for none.
    package var failure: Failure?

    /// Describes a test case.
    package init(
      test: String, place: String, result: Result, reason: String? = nil, orders: Int? = nil,
      failure: Failure? = nil
    ) {
      self.test = test
      self.place = place
      self.result = result
      self.reason = reason
      self.orders = orders
      self.failure = failure
    }
  }

  /// The test cases, in the order in which they ended.
  package var cases: [Case] = []
  /// True if one order of each test was requested, not all.
  package var isOneOrder = false

  /// Describes a process without tests.
  package init(cases: [Case] = [], isOneOrder: Bool = false) {
    self.cases = cases
    self.isOneOrder = isOneOrder
  }

  /// Adds the tests of another process.
  package mutating func formUnion(_ other: Self) {
    cases += other.cases
    isOneOrder = isOneOrder || other.isOneOrder
  }

  /// The number of test cases with one result, or with one reason for running once.
  package struct Count: Sendable, Hashable {
    /// The result.
    package var result: Result
    /// Why the test cases ran once; `nil` for other results.
    package var reason: String?
    /// The number of test cases.
    package var count: Int
  }

  /// The nonzero counts: the results in order, then the reasons, the most frequent first.
  package var counts: [Count] {
    var counts: [Count] = Result.allCases.compactMap { result in
      let count = cases.count { $0.result == result }
      return count == 0 || result == .once ? nil : Count(result: result, count: count)
    }
    let reasons = Dictionary(grouping: cases.filter { $0.result == .once }) { $0.reason ?? "" }
    counts += reasons.map { Count(result: .once, reason: $0.key, count: $0.value.count) }
      .sorted { ($1.count, $0.reason ?? "") < ($0.count, $1.reason ?? "") }
    return counts
  }

  /// The summary in one line; `nil` if there is no test case.
  package var summary: String? {
    if cases.isEmpty { return nil }
    let parts = counts.map { entry in
      let words =
        switch entry.result {
        case .everyOrder: "in every order"
        case .someOrders: isOneOrder ? "in one order" : "in some orders"
        case .failed: "failed"
        case .failedLate: "failed only where a time is late"
        case .once: "once, as usual (\(entry.reason ?? ""))"
        case .notRun: "not run after a failure"
        }
      return "\(entry.count) \(words)"
    }
    let plural = cases.count == 1 ? "" : "s"
    return "\(cases.count) test case\(plural): \(parts.joined(separator: ", "))"
  }
}
