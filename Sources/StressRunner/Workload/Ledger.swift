import Dispatch

/// Which oracles did not hold while the calls were made: how often, and the first evidence of each.
///
/// `@unchecked Sendable`: `records` is only touched between `wait` and `signal` of the semaphore.
final class Ledger: @unchecked Sendable {
  private struct Record {
    var evidence: String
    var times: Int
  }

  // Not `Synchronization.Mutex`, which ThreadSanitizer reports false races for.
  private let semaphore = DispatchSemaphore(value: 1)
  private var records: [Oracle: Record] = [:]
  private let asked: Set<Oracle>

  /// A ledger that notes failures of these oracles, and of no others.
  init(asking asked: [Oracle]) {
    self.asked = Set(asked)
  }

  /// Whether the scenario asks an oracle.
  func asks(_ oracle: Oracle) -> Bool { asked.contains(oracle) }

  /// Notes that an oracle did not hold, if it is asked.
  func note(_ oracle: Oracle, _ evidence: @autoclosure () -> String) {
    guard asks(oracle) else { return }
    semaphore.wait()
    defer { semaphore.signal() }
    if records[oracle] == nil { records[oracle] = Record(evidence: evidence(), times: 0) }
    records[oracle]?.times += 1
  }

  /// What was noted, one failure an oracle.
  var failures: [Observation.OracleFailure] {
    semaphore.wait()
    defer { semaphore.signal() }
    return Oracle.allCases.compactMap { oracle in
      records[oracle].map { record in
        let more = record.times > 1 ? " (the first of \(record.times))" : ""
        return Observation.OracleFailure(oracle: oracle, evidence: record.evidence + more)
      }
    }
  }
}
