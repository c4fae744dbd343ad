package import Findings
package import StressRunner

/// The machine-readable report.
///
/// `ci/report-schema.md` documents every key. This is the shape, with the keys in the order of the
/// file:
///
///     { "schemaVersion": 1, "tool": {"name", "version"}, "host": {"os", "cores", "swift"}, "seed",
///       "results": [
///         { "scenario", "subject", "seed", "expected", "verdict", "cause", "met", "completed",
///           "operations", "seconds", "detectionSeconds", "peakThreads", "message",
///           "conflicts": [
///             { "resource",
///               "first": {"mode", "synched", "part", "file", "line", "function", "thread",
///                         "queue", "stack"},
///               "second": {…}, "heldOpen", "witness" } ],
///           "threads": [ { "count", "name", "state", "stack" } ], "interleaving", "poolWidth",
///           "undecided": [ {"oracle", "reason"} ],
///           "diagnosis": {"cause", "certain", "headline", "details", "advice", "nodes", "edges",
///                         "activity"},
///           "exercise": {"full", "resources"},
///           "prediction": {"state", "reason", "notes"},
///           "potential": [
///             { "kind", "headline", "count",
///               "sides": [ {"who", "act", "place", "stack", "held"} ] } ],
///           "reason": {"kind", …},
///           "exploration": {"state", "orders", "seconds", "leftBlocked", "notControlled",
///                           "failure"},
///           "memory": {"state", "reason", "races": [ {"first", "second"} ]},
///           "findings": [ { "kind", "level", "fingerprint", "message", "resource", "functions",
///                           "known" } ] } ],
///       "summary": {"met", "unmet", "skipped", "planned"} }
package struct JSONReport: Reporter {
  private var isFirst = true
  private let failing: FailureSettings
  private var context: ReportContext?

  /// Creates a report without results.
  ///
  /// - Parameter failing: The findings that fail the run. They determine the level of findings,
  ///   and which are known.
  package init(_ failing: FailureSettings = FailureSettings()) { self.failing = failing }

  package mutating func begin(_ trials: [Trial], _ context: ReportContext) -> String {
    self.context = context
    let host = JSONValue.object([
      "os": .string(context.host.system), "cores": .number(context.host.cores),
      "swift": .string(context.host.swift),
    ])
    let tool = JSONValue.object([
      "name": .string("interlock"), "version": .string(context.version),
    ])
    let seed = JSONValue.optional(context.seed.map { .number($0) })
    return """
      {
        "schemaVersion": 1,
        "tool": \(JSONWriter.text(tool, level: 1)),
        "host": \(JSONWriter.text(host, level: 1)),
        "seed": \(JSONWriter.text(seed)),
        "results": [
      """
  }

  package mutating func result(_ result: TrialResult) -> String {
    defer { isFirst = false }
    let findings = context.map { result.findings(failing, $0) } ?? []
    return (isFirst ? "\n    " : ",\n    ") + Self.entry(result, findings)
  }

  package func end(_ summary: ReportSummary) -> String {
    let counts = JSONValue.object([
      "met": .number(summary.met), "unmet": .number(summary.unmet),
      "skipped": .number(summary.skipped), "planned": .number(summary.planned),
    ])
    return (isFirst ? "]" : "\n  ]")
      + ",\n  \"summary\": \(JSONWriter.text(counts, level: 1))\n}\n"
  }

  /// One result with its findings.
  package static func entry(_ result: TrialResult, _ findings: [Finding] = []) -> String {
    JSONWriter.text(value(of: result, findings), level: 2)
  }
}

extension ReportFormat {
  /// The machine-readable report.
  package static let json = ReportFormat(
    name: "json",
    summary: "Write the results to this file too, as they arrive; '-' is standard output, and the"
      + " text then goes to standard error.",
    destination: .growingFile
  ) { JSONReport($0.failing) }
}
