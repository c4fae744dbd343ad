import HangReports
import Hangs

/// The lines of a diagnosis below the verdict that it explains. They do not repeat the verdict.
struct DiagnosisLines {
  /// The heading, followed by indented lines.
  let lines: [String]
  /// The number of lines that were left out.
  let left: Int

  /// Formats a diagnosis.
  ///
  /// - Parameters:
  ///   - diagnosis: The diagnosis.
  ///   - hasHeadline: True to include the headline; false if the message above contains it.
  ///   - limit: The most lines after the heading.
  init(_ diagnosis: Explanation, hasHeadline: Bool, limit: Int) {
    let all = DiagnosisText(diagnosis, width: nil, mostLines: .max).lines
    let heading =
      diagnosis.isCertain
      ? "diagnosis:" : "judged by the stall window: the diagnosis is likely, not certain:"
    let headline = hasHeadline ? ["  " + harmless(diagnosis.headline)] : []
    let body = headline + all.dropFirst()
    lines = ["  " + heading] + body.prefix(limit).map { "  " + $0 }
    left = max(0, body.count - limit)
  }
}

extension ReportContext.Sight {
  /// Why there is no wait-for graph, in one line; `nil` if this build follows all calls.
  package var reason: String? {
    switch self {
    case .everything: nil
    case .withoutDispatch:
      "this build does not see the calls of Dispatch that wait and wake: the standard library is linked in statically"
    case .sanitized:
      "this build does not see the calls that wait and wake: ThreadSanitizer is built in"
    case .leftOut:
      "this build does not see the calls that wait and wake: the package trait UnseenCalls leaves them out"
    case .unsupportedSystem:
      "this build does not see the calls that wait and wake: they are seen on Linux only"
    }
  }
}
