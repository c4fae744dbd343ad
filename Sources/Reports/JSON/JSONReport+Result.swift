import Findings
import Interlock
import Prediction
import ProcessInspection
import StressRunner
import Hangs

extension JSONReport {
  static func value(of result: TrialResult, _ findings: [Finding] = []) -> JSONValue {
    let seen = result.observation
    let undecided = seen.undecidedOracles.map {
      JSONValue.object(["oracle": .string($0.oracle.rawValue), "reason": .string($0.evidence)])
    }
    return .object([
      "scenario": .string(result.trial.scenario.name),
      "subject": .string(result.trial.subject),
      "seed": .number(result.trial.seed),
      "expected": .string(result.expected.verdict.rawValue),
      "verdict": .string(result.verdict.kind.rawValue),
      "cause": .optional(result.verdict.cause.map { .string($0.rawValue) }),
      "met": .optional(result.isMet.map { .bool($0) }),
      "completed": .number(seen.completed),
      "operations": .number(seen.operations),
      "seconds": .number(seen.seconds),
      "detectionSeconds": .optional(seen.detectionSeconds.map { .number($0) }),
      "peakThreads": .optional(seen.threadCounts.map(\.threads).max().map { .number($0) }),
      "message": .string(message(of: result)),
      "conflicts": .array(seen.conflicts.map(value)),
      "threads": .array(crash(of: seen) + seen.threads.map(value)),
      "interleaving": .optional(seen.script.map(value)),
      "poolWidth": .optional(result.trial.scenario.poolWidth.map { .number($0) }),
      "undecided": .array(undecided),
      "diagnosis": .optional(
        result.explanation.map { value(of: $0, activity: seen.waits?.activity ?? []) }),
      "exercise": .optional(seen.coverage.map(value)),
      "prediction": value(seen.prediction),
      "potential": .array(seen.prediction.findings.map(value)),
      "reason": reason(result.verdict),
      "exploration": .optional(seen.exploration.map { value($0, of: result) }),
      "memory": .optional(seen.memory.map(value)),
      "findings": .array(findings.map(value)),
    ])
  }

  /// The message. `expected` names only a verdict, so the message must state a different cause.
  private static func message(of result: TrialResult) -> String {
    guard result.isMet == false, result.expected.verdict == result.verdict.kind,
      let cause = result.expected.cause
    else { return result.message }
    return result.message + " (expected the cause '\(cause.rawValue)')"
  }

  private static func value(_ finding: Finding) -> JSONValue {
    let key = finding.key
    return .object([
      "kind": .string(finding.rule.id),
      "level": .string(finding.level.rawValue),
      "fingerprint": .string(key.fingerprint),
      "message": .string(finding.message),
      "resource": .string(key.resource),
      "functions": .array(key.functions.map { .string($0) }),
      "known": .optional(finding.knownBecause.map { .string($0) }),
    ])
  }

  private static func value(_ record: ScriptRecord) -> JSONValue {
    .object([
      "kept": .bool(record.givenUp == nil),
      "givenUp": .optional(record.givenUp.map { .string($0) }),
      "passages": .array(
        record.passages.map {
          .object(["role": .optional($0.role.map { .string($0) }), "text": .string($0.text)])
        }),
    ])
  }

  private static func value(_ conflict: Conflict) -> JSONValue {
    .object([
      "resource": .string(conflict.fullName),
      "first": value(conflict.first),
      "second": value(conflict.second),
      "heldOpen": .optional(
        conflict.heldOpen.map {
          .object(["microseconds": .number($0.microseconds), "seed": .number($0.seed)])
        }),
      "witness": .optional(
        conflict.witness.map {
          .object(["before": .string($0.before), "after": .string($0.after)])
        }),
    ])
  }

  private static func value(_ side: Conflict.Side) -> JSONValue {
    .object([
      "mode": .string(side.mode.writes ? "noReadWrite" : "noWrite"),
      "synched": .bool(side.synched),
      "part": .optional(side.part.map { .string($0) }),
      "file": .string(side.place.file),
      "line": .number(side.place.line),
      "function": .string(side.place.function),
      "thread": .string(side.thread),
      "queue": .optional(side.queue.map { .string($0) }),
      "stack": value(side.stack),
    ])
  }

  private static func value(_ group: Observation.ThreadGroup) -> JSONValue {
    .object([
      "count": .number(group.count),
      "name": .string(group.name),
      "state": .string(group.state),
      "stack": value(group.stack),
    ])
  }

  /// The crashed thread, which comes first among the threads: the schema has no key for a crash.
  private static func crash(of observation: Observation) -> [JSONValue] {
    guard let crash = observation.crash else { return [] }
    return [
      .object([
        "count": .number(1), "name": .string("the thread that crashed"),
        "state": .string(crash.reason), "stack": value(crash.stack),
      ])
    ]
  }

  static func value(_ stack: [StackFrame]) -> JSONValue { .array(stack.map(value)) }

  static func value(_ frame: StackFrame) -> JSONValue {
    .object([
      "function": .string(frame.functionOrAddress),
      "file": .optional(frame.file.map { .string($0) }),
      "line": .optional(frame.line.map { .number($0) }),
    ])
  }
}

extension StackFrame {
  /// The function; otherwise the address and its binary.
  fileprivate var functionOrAddress: String {
    function ?? "0x" + String(address, radix: 16) + (image.map { " in \($0)" } ?? "")
  }
}
