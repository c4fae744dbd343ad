import Findings
import Prediction
import StressRunner

extension JSONReport {
  /// The state of prediction, and the gaps in it.
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

  /// A predicted finding. It is never listed among the conflicts, which did occur.
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
      "who": .string(side.party),
      "act": .string(side.act),
      "place": value(side.place),
      "stack": value(side.stack),
      "held": .array(
        side.held.map { .object(["object": .string($0.object), "place": value($0.place)]) }),
    ])
  }
}
