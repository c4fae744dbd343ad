import Explorer
import Interlock
import Findings
import StressRunner

extension JSONReport {
  /// The most steps of a schedule that are written, from its beginning.
  private static let mostSteps = 2000

  /// The outcome of an exploration.
  static func value(_ record: ExplorationRecord, of result: TrialResult) -> JSONValue {
    var state = "failed"
    var orders: Int?
    var leftBlocked = 0
    var notControlled: [String] = []
    var leftOut: [String] = []
    var bound: ExplorationBound?
    switch record.outcome {
    case .allOrdersPass(let count, let leftBehind, let limits):
      (state, orders, leftBlocked) = ("finished", count, leftBehind)
      leftOut = limits.words
    case .sampled(let count, let leftBehind, let escaped, let within):
      bound = within
      (state, orders, leftBlocked, notControlled) = ("sampled", count, leftBehind, escaped)
    case .failed: break
    }
    return .object([
      "state": .string(state),
      "orders": .optional(orders.map { .number($0) }),
      "part": .optional(
        result.trial.explore?.options.part.map { .string("\($0.number)/\($0.count)") }),
      "seconds": .number(record.seconds),
      "leftBlocked": .number(leftBlocked),
      "notControlled": .array(notControlled.map { .string($0) }),
      "leftOut": .array(leftOut.map { .string($0) }),
      "finishedWithin": .optional(
        bound.map {
          .object(["preemptions": .number($0.preemptions), "orders": .number($0.orders)])
        }),
      "failure": .optional(record.outcome.failure.map(value)),
    ])
  }

  private static func value(_ failure: ExplorationFailure) -> JSONValue {
    .object([
      "order": .number(failure.execution),
      "text": .string(failure.text),
      "switches": .number(failure.schedule.switches),
      "token": .string(failure.token),
      "dryPoolWidth": .optional(failure.dryPoolWidth.map { .number($0) }),
      "stepCount": .number(failure.schedule.stepCount),
      "steps": .array(failure.schedule.steps.prefix(mostSteps).map(value)),
      "blocked": .array(failure.schedule.blocked.map(value)),
      "blockedCount": .number(failure.schedule.blockedCount),
    ])
  }

  private static func value(_ step: Schedule.Step) -> JSONValue {
    .object([
      "thread": .number(step.thread),
      "operation": .string(step.operation),
      "object": .optional(step.object == 0 ? nil : .number(step.object)),
      "place": .optional(step.place.map(value)),
      "candidates": .number(step.candidates),
    ])
  }
}
