import Dispatch
import class Foundation.Thread
import Synchronization

@testable import StressRunner

/// Runs a workload on a dedicated thread, as a trial's main thread does, and suspends until it
/// ends.
func run(
  _ workload: Workload, on subject: any Subject, oracles: [Oracle] = Oracle.allCases,
  progress: any ProgressSink = CountingProgress()
) async -> [Observation.OracleFailure] {
  let scenario = Scenario(
    name: "test", summary: "", source: "", workload: workload, limits: Limits(), oracles: oracles,
    expectations: [:])
  return await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(
        returning: runWorkload(scenario, seed: 1, on: subject, reporting: progress))
    }
  }
}

/// A workload of one phase.
func workload(
  _ driver: Workload.Driver, callers: Int, rounds: Int = 1, _ kinds: [Operation.Kind],
  keys: Int = 4, _ distribution: Workload.Distribution = .uniform, valueBytes: Int = 16,
  preparesAllKeys: Bool = false
) -> Workload {
  Workload(
    driver: driver,
    phases: [.init(callers: callers, rounds: rounds, operations: .sequence(kinds))],
    keys: keys, distribution: distribution, valueBytes: valueBytes,
    preparesAllKeys: preparesAllKeys, seed: 0)
}

/// Counts calls by caller.
final class CountingProgress: ProgressSink {
  private let lock = DispatchSemaphore(value: 1)
  // Accessed between wait and signal only.
  nonisolated(unsafe) private var operations: [Int: [Int]] = [:]
  nonisolated(unsafe) private var completions: [Int: Int] = [:]

  func began(caller: Int, operation: Int) {
    lock.wait()
    operations[caller, default: []].append(operation)
    lock.signal()
  }

  func completed(caller: Int) {
    lock.wait()
    completions[caller, default: 0] += 1
    lock.signal()
  }

  /// The numbers of the calls that each caller began, in order.
  var begunByCaller: [Int: [Int]] { operations }
  /// The number of completed calls of each caller.
  var completedByCaller: [Int: Int] { completions }
}

/// A subject whose calls run a closure.
final class ClosureSubject: Subject {
  private let body: @Sendable (Operation, @escaping @Sendable (Reply) -> Void) -> Void
  private let state: FinalState?

  init(
    finalState: FinalState? = nil,
    _ body: @escaping @Sendable (Operation, @escaping @Sendable (Reply) -> Void) -> Void
  ) {
    state = finalState
    self.body = body
  }

  func perform(_ operation: Operation, completion: @escaping @Sendable (Reply) -> Void) {
    body(operation, completion)
  }

  func finalState() -> FinalState? { state }
}

/// A correct store of values, which records the calls in the order of arrival.
final class DictionarySubject: Subject {
  private let lock = DispatchSemaphore(value: 1)
  // Accessed between wait and signal only.
  nonisolated(unsafe) private var values: [String: [UInt8]] = [:]
  nonisolated(unsafe) private var log: [Operation] = []

  /// True if each call completes on another thread, after it has returned.
  let completesLater: Bool

  init(completesLater: Bool = false) {
    self.completesLater = completesLater
  }

  func perform(_ operation: Operation, completion: @escaping @Sendable (Reply) -> Void) {
    let reply = self.reply(to: operation)
    if completesLater {
      DispatchQueue.global().async { completion(reply) }
    } else {
      completion(reply)
    }
  }

  private func reply(to operation: Operation) -> Reply {
    lock.wait()
    defer { lock.signal() }
    log.append(operation)
    switch operation.kind {
    case .get, .getAsync:
      return .value(values[operation.key])
    case .set, .setAsync:
      values[operation.key] = operation.value
      return .done
    case .remove, .removeAsync:
      values[operation.key] = nil
      return .done
    case .removeAll:
      values = [:]
      return .done
    case .count:
      return .count(values.count)
    case .action:
      return .done
    }
  }

  func finalState() -> FinalState? {
    FinalState(
      count: values.count, totalCost: values.values.reduce(0) { $0 + $1.count },
      entries: values.mapValues(\.count), values: values)
  }

  /// Every call, in the order of arrival.
  var calls: [Operation] { log }
}
