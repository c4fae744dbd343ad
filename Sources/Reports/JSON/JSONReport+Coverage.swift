import Interlock
import Findings
import StressRunner

extension JSONReport {
  /// The contention coverage of a trial.
  static func value(_ report: CoverageReport) -> JSONValue {
    .object([
      "full": .bool(report.isFull),
      "resources": .array(report.resources.map(value)),
    ])
  }

  private static func value(_ resource: CoverageReport.Resource) -> JSONValue {
    .object([
      "name": .string(resource.name),
      "owners": .number(resource.owners),
      "contention": .string(resource.contention.rawValue),
      "met": .number(resource.overlapped),
      "nearlyMet": .number(resource.nearMisses),
      "neverMet": .number(resource.apart),
      "places": .array(resource.places.map(value)),
      "pairs": .array(
        resource.pairs.map {
          .object([
            "first": .number($0.first), "second": .number($0.second),
            "outcome": .string(key($0.outcome)),
          ])
        }),
    ])
  }

  private static func value(_ visited: CoverageReport.Visited) -> JSONValue {
    .object([
      "mode": .string(visited.mode.writes ? "noReadWrite" : "noWrite"),
      "file": .string(visited.place.file),
      "line": .number(visited.place.line),
      "function": .string(visited.place.function),
      "byOneOwner": .bool(visited.byOneOwner),
    ])
  }

  /// The name of an outcome in version 1 of the schema.
  private static func key(_ outcome: CoverageReport.Outcome) -> String {
    switch outcome {
    case .overlapped: "met"
    case .nearMiss: "nearlyMet"
    case .apart: "neverMet"
    }
  }
}
