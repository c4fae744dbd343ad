import Interlock
import JSONText
import StressRunner

extension JSONReport {
  /// The contention coverage of a trial.
  static func value(_ report: ExerciseReport) -> JSONValue {
    .object([
      "full": .bool(report.isFull),
      "resources": .array(report.resources.map(value)),
    ])
  }

  private static func value(_ resource: ExerciseReport.Resource) -> JSONValue {
    .object([
      "name": .string(resource.name),
      "owners": .number(resource.owners),
      "contention": .string(resource.contention.rawValue),
      "met": .number(resource.met),
      "nearlyMet": .number(resource.nearlyMet),
      "neverMet": .number(resource.neverMet),
      "places": .array(resource.places.map(value)),
      "pairs": .array(
        resource.pairs.map {
          .object([
            "first": .number($0.first), "second": .number($0.second),
            "outcome": .string($0.outcome.rawValue),
          ])
        }),
    ])
  }

  private static func value(_ visited: ExerciseReport.Visited) -> JSONValue {
    .object([
      "mode": .string(visited.mode.writes ? "noReadWrite" : "noWrite"),
      "file": .string(visited.place.file),
      "line": .number(visited.place.line),
      "function": .string(visited.place.function),
      "byOneOwner": .bool(visited.byOneOwner),
    ])
  }
}
