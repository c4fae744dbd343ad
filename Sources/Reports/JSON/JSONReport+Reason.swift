import Explorer
import Interlock
import Findings
import StressRunner

extension JSONReport {
  /// The evidence for a verdict: its kind, and the keys of that kind; null for `passed`.
  static func reason(_ verdict: Verdict) -> JSONValue {
    switch verdict {
    case .passed: .null
    case .race(let conflict): reason(conflict.witness == nil ? "conflict" : "unmarked-change")
    case .memoryRace: reason("memory")
    case .deadlock(.graph): reason("wait-for-graph")
    case .deadlock(.pools(let state, _)): reason(state)
    case .violation(let violation): reason(violation)
    case .crashed(let crash): reason(crash)
    case .timedOut(.limit(nil)): reason("time-limit")
    case .timedOut(.limit(let pool?)):
      reason("slow-pool", ["threads": .number(pool.threads), "needed": .number(pool.needed)])
    case .timedOut(.order(let why)): reason("script-order", ["evidence": .string(why)])
    case .explored(let failure): reason("order", ["evidence": .string(failure.text)])
    case .skipped(let why): reason("not-run", ["evidence": .string(why)])
    }
  }

  private static func reason(
    _ kind: String, _ members: KeyValuePairs<String, JSONValue> = [:]
  ) -> JSONValue {
    JSONValue(
      .object(
        [.init(key: "kind", value: .string(kind))]
          + members.map { .init(key: $0.key, value: $0.value) }))
  }

  private static func reason(_ state: Verdict.PoolState) -> JSONValue {
    switch state {
    case .noWorkers: reason("no-pool-worker")
    case .lockWaits: reason("lock-waits")
    case .taskPoolFull(let threads): reason("task-pool-full", ["threads": .number(threads)])
    case .dispatchPoolFull(let workers):
      reason("dispatch-pool-full", ["threads": .number(workers)])
    case .dispatchPoolGrew(let growth, let workers):
      reason("dispatch-pool-grew", ["threads": .number(workers), "grewBy": .number(growth)])
    case .nothingQueued(let workers): reason("nothing-queued", ["threads": .number(workers)])
    }
  }

  private static func reason(_ violation: Verdict.Violation) -> JSONValue {
    switch violation {
    case .oracle(let failure):
      reason(
        "oracle",
        ["oracle": .string(failure.oracle.rawValue), "evidence": .string(failure.evidence)])
    case .misuse(let misuse): reason("misuse", ["evidence": .string(misuse)])
    case .lostCalls(let count, _): reason("lost-calls", ["count": .number(count)])
    case .miscount: reason("miscount")
    }
  }

  private static func reason(_ crash: Verdict.Crash) -> JSONValue {
    switch crash {
    case .signal(let number, .said(let line)?, _):
      reason("signal", ["signal": .number(number), "evidence": .string(line)])
    case .signal(let number, let trap, _):
      reason(
        "signal",
        ["signal": .number(number), "trap": .optional(trap.flatMap(name).map { .string($0) })])
    case .outOfMemory(let mebibytes): reason("out-of-memory", ["mebibytes": .number(mebibytes)])
    case .flooded(let bytes): reason("output", ["bytes": .number(bytes)])
    case .floodedEvents(let bytes): reason("event-pipe", ["bytes": .number(bytes)])
    case .exited(let code): reason("exit", ["code": .number(code)])
    }
  }

  private static func name(_ trap: Verdict.Trap) -> String? {
    switch trap {
    case .syncOnOwnQueue: "sync-on-own-queue"
    case .semaphoreFreed: "semaphore-freed"
    case .groupOverleft: "group-overleft"
    case .said: nil
    }
  }
}
