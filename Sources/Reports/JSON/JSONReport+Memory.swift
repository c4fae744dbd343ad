import Interlock
import Findings
import StressRunner

extension JSONReport {
  /// The result of the memory check. The state is `lost` if the check stopped during the trial.
  static func value(_ record: MemoryRecord) -> JSONValue {
    .object([
      "state": .string(record.lostBecause == nil ? "on" : "lost"),
      "reason": .optional(record.lostBecause.map { .string($0) }),
      "races": .array(
        record.races.map {
          .object([
            "variable": variable($0), "first": value($0.first), "second": value($0.second),
          ])
        }),
      "undecided": .array(
        record.undecided.map {
          .object([
            "variable": variable($0), "plainCode": .array($0.plainCode.map { .string($0) }),
            "first": value($0.first), "second": value($0.second),
          ])
        }),
    ])
  }

  private static func variable(_ race: MemoryRace) -> JSONValue {
    .optional(race.variable.map { .string($0) })
  }

  private static func value(_ side: MemoryRace.Side) -> JSONValue {
    .object([
      "access": .string(side.isWrite ? "write" : "read"),
      "atomic": .bool(side.isAtomic),
      "size": .number(side.size),
      // Written as text: a double cannot hold all digits.
      "address": .string("0x" + String(side.address, radix: 16)),
      "place": value(side.place),
      "known": .bool(side.isKnown),
      "thread": .optional(side.thread.map { .number($0) }),
      "task": .optional(side.task.map { .number($0) }),
      "queue": .optional(side.queue.map { .string($0) }),
      "held": .array(
        side.locks.map {
          .object(["object": .string($0.object), "place": .optional($0.place.map(value))])
        }),
      "stack": value(side.stack),
    ])
  }
}
