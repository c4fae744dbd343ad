import Dispatch

/// The oracles that failed while the calls were made: the number of failures, and the first
/// evidence of each oracle.
///
/// `@unchecked Sendable`: `records` is accessed only between `wait` and `signal` of the semaphore.
final class Ledger: @unchecked Sendable {
  private struct Record {
    var evidence: String
    var times: Int
  }

  // `Synchronization.Mutex` cannot be used: ThreadSanitizer reports false races for it.
  private let semaphore = DispatchSemaphore(value: 1)
  private var records: [Oracle: Record] = [:]
  private let asked: Set<Oracle>

  /// Creates a ledger that records failures of these oracles and of `checks-hold`.
  init(asking asked: [Oracle]) {
    self.asked = Set(asked).union([.checksHold])
  }

  /// True if the scenario uses an oracle.
  func asks(_ oracle: Oracle) -> Bool { asked.contains(oracle) }

  /// Records a failure of an oracle, if the scenario uses it.
  func note(_ oracle: Oracle, _ evidence: @autoclosure () -> String) {
    guard asks(oracle) else { return }
    semaphore.wait()
    defer { semaphore.signal() }
    if records[oracle] == nil { records[oracle] = Record(evidence: evidence(), times: 0) }
    records[oracle]?.times += 1
  }

  /// The recorded failures, one for each oracle.
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
