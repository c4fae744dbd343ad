import Findings

/// The output of `hunt` after the tests have ended.
struct HuntReport {
  let tests: ExploredTests
  /// The package's folder, which paths are relative to.
  let folder: String

  /// The failing order; `nil` if none was found. A failure that needs a late time is shown only if
  /// there is no other.
  var failure: String? {
    let failed =
      tests.cases.first { $0.result == .failed } ?? tests.cases.first { $0.result == .failedLate }
    guard let failed, let failure = failed.failure else { return nil }
    let late =
      failed.result == .failedLate ? ", only where a sleep or a limit of time ends late" : ""
    var lines = [
      "", "hunt: an order fails \(escaped(failed.test))\(late)  \(escaped(failed.place))",
    ]
    lines += failure.report.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "  \($0)" }
    let isXCTest = !failure.line.hasPrefix("@Test")
    let suite = failed.test.split(separator: "/").first?.split(separator: ".").last ?? ""
    lines.append("token: \(failure.token)")
    lines.append(
      isXCTest
        ? "regression test: its class explores its tests, with 'import InterlockTesting' above"
        : "regression test: the trait explores it, with 'import InterlockTesting' above")
    lines.append(
      isXCTest
        ? "  final class \(escaped(String(suite))): ExploredTestCase {" : "  @Test(.explored)")
    lines.append("this order alone, while the code is as it is:")
    lines.append("  \(failure.line)")
    if let corpus = failure.corpus { lines.append("kept in: \(escaped(relative(corpus)))") }
    if tests.cases.count > 1, let summary = tests.summary { lines.append("hunt: \(summary)") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The text for a hunt without a failing order, with the tests that were not explored.
  var noFailure: String {
    let once = tests.cases.filter { $0.result == .once }.map {
      "  not explored: \(escaped($0.test)) (\(escaped($0.reason ?? "")))  \(escaped($0.place))"
    }
    let head =
      once.count == tests.cases.count
      ? "no test could be explored" : "no order that was tried fails"
    return (["", "hunt: \(head): \(tests.summary ?? "")"] + once).joined(separator: "\n") + "\n"
  }

  private func relative(_ path: String) -> String {
    path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
  }
}
