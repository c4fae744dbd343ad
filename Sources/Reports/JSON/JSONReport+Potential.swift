import Prediction
import StressRunner

extension JSONReport {
  /// Whether anybody looked, and what could not be followed.
  static func value(_ record: PredictionRecord) -> JSONValue {
    let state: String
    var reason: String?
    switch record.state {
    case .off: state = "off"
    case .on: state = "on"
    case .unavailable(let why):
      state = "unavailable"
      reason = why
    }
    return .object([
      "state": .string(state), "reason": .optional(reason.map { .string($0) }),
      "notes": .array(record.notes.map { .string($0) }),
    ])
  }

  /// A finding: never among the conflicts, which happened.
  static func value(_ finding: PotentialFinding) -> JSONValue {
    .object([
      "kind": .string(finding.kind.rawValue),
      "headline": .string(finding.headline),
      "count": .number(finding.count),
      "sides": .array(finding.sides.map(value)),
    ])
  }

  private static func value(_ side: PotentialFinding.Side) -> JSONValue {
    .object([
      "who": .string(side.who),
      "act": .string(side.act),
      "place": value(side.place),
      "stack": value(side.stack),
      "held": .array(
        side.held.map { .object(["object": .string($0.object), "place": value($0.place)]) }),
    ])
  }
}
