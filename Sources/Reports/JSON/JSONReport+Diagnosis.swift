import HangReports
import Findings
import StressRunner
import Hangs

extension JSONReport {
  /// The diagnosis of a trial's hang, and the earlier activity of its threads.
  static func value(
    of diagnosis: Explanation, activity: [WaitSnapshot.Activity]
  ) -> JSONValue {
    .object([
      "cause": .string(diagnosis.cause.rawValue),
      "certain": .bool(diagnosis.isCertain),
      "headline": .string(diagnosis.headline),
      "details": .array(diagnosis.details.map { .string($0) }),
      "advice": .array(diagnosis.advice.map { .string($0) }),
      "nodes": .array(diagnosis.nodes.map(value)),
      "edges": .array(diagnosis.edges.map(value)),
      "activity": .array(activity.map(value)),
    ])
  }

  private static func value(_ node: Explanation.Node) -> JSONValue {
    .object([
      "id": .string(node.id),
      "kind": .string(node.kind.rawValue),
      "count": .number(node.count),
      "title": .string(node.title),
      "details": .array(node.details.map { .string($0) }),
      "place": .optional(node.place.map(value)),
      "stack": value(node.stack),
      "marked": .bool(node.isMarked),
    ])
  }

  private static func value(_ edge: Explanation.Edge) -> JSONValue {
    .object([
      "from": .string(edge.from),
      "to": .string(edge.to),
      "label": .string(edge.label),
      "marked": .bool(edge.isMarked),
    ])
  }

  private static func value(_ activity: WaitSnapshot.Activity) -> JSONValue {
    .object([
      "thread": .number(activity.thread),
      "spans": .array(activity.spans.map(value)),
    ])
  }

  private static func value(_ span: WaitSnapshot.Activity.Span) -> JSONValue {
    .object([
      "from": .number(span.from),
      "to": .number(span.to),
      "kind": .optional(span.kind.map { .string($0.rawValue) }),
      // Written as text: a double cannot hold all digits.
      "object": .optional(
        span.kind == nil ? nil : .string("0x" + String(span.object, radix: 16))),
    ])
  }
}
