package import StressRunner

/// The machine-readable report, in pieces that are written as the results arrive.
///
/// `head`, then each result's `entry` behind its `separator`, then `tail`: the text is whole after
/// any number of entries. `ci/report-schema.md` documents every key; this is the shape, in the
/// order that is kept:
///
///     { "schemaVersion": 1, "tool": {"name", "version"}, "host": {"os", "cores", "swift"}, "seed",
///       "results": [ { "scenario", "subject", "seed", "expected", "verdict", "cause", "met", "completed",
///                      "operations", "seconds", "detectionSeconds", "peakThreads", "message",
///                      "conflicts": [ { "resource", "first": {"mode", "synched", "part", "file", "line",
///                                       "function", "thread", "queue", "stack"}, "second": {…},
///                                       "heldOpen", "witness" } ],
///                      "threads": [ { "count", "name", "state", "stack" } ], "interleaving", "poolWidth",
///                      "undecided": [ {"oracle", "reason"} ],
///                      "diagnosis": {"cause", "certain", "headline", "details", "advice", "nodes",
///                                    "edges", "activity"},
///                      "exercise": {"full", "resources"},
///                      "prediction": {"state", "reason", "notes"},
///                      "potential": [ { "kind", "headline", "count",
///                                       "sides": [ {"who", "act", "place", "stack", "held"} ] } ] } ],
///       "summary": {"met", "unmet", "skipped", "planned"} }
package enum JSONReport {
  /// What comes before the first result.
  package static func head(_ context: ReportContext) -> String {
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

  /// What stands before an entry.
  package static func separator(isFirst: Bool) -> String { isFirst ? "\n    " : ",\n    " }

  /// One result.
  package static func entry(_ result: TrialResult) -> String {
    JSONWriter.text(value(of: result), level: 2)
  }

  /// What comes after the last result.
  ///
  /// - Parameters:
  ///   - summary: What the results come to so far.
  ///   - planned: How many there will be: with fewer, the run was interrupted or killed.
  /// - Returns: The end of the text, with a line break.
  package static func tail(_ summary: ReportSummary, planned: Int) -> String {
    let counts = JSONValue.object([
      "met": .number(summary.met), "unmet": .number(summary.unmet),
      "skipped": .number(summary.skipped), "planned": .number(planned),
    ])
    return (summary.count == 0 ? "]" : "\n  ]")
      + ",\n  \"summary\": \(JSONWriter.text(counts, level: 1))\n}\n"
  }

  /// The whole report.
  package static func text(
    _ results: [TrialResult], planned: Int, _ context: ReportContext
  ) -> String {
    var text = head(context)
    for (index, result) in results.enumerated() {
      text += separator(isFirst: index == 0) + entry(result)
    }
    return text + tail(ReportSummary(results), planned: planned)
  }
}
