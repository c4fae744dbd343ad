package import Hangs

extension Diagnosis.Evidence {
  /// Arbitrary evidence of a cause.
  package static func any(_ cause: Diagnosis.Cause) -> Self {
    switch cause {
    case .cycle:
      .cycle(
        [
          Diagnosis.BlockedWait(.thread(1), .lock(0xb), by: .thread(2)),
          Diagnosis.BlockedWait(.thread(2), .lock(0xa), by: .thread(1)),
        ], others: [])
    case .self: .selfWait(.thread(1), .lock(0xa), Diagnosis.Object(.mutex, 0xa))
    case .starvation:
      .starvation(
        Diagnosis.Starvation(
          pool: .main, workers: [.thread(1)], threads: 1, mostThreads: 1, queues: [], queued: 1))
    case .lostWakeUp:
      .lostSignal(
        Diagnosis.Object(.semaphore, 0xa), waiters: [.thread(1)], chain: [], listeners: [],
        others: [])
    case .suspended: .suspendedQueue(0xa, queued: 1, calls: 0, others: [])
    case .abandonedLock:
      .abandonedLock(
        Diagnosis.Object(.mutex, 0xa), by: .ended(2), waiters: [.thread(1)], chain: [], others: [])
    case .unknown: .stuck([.thread(1)])
    }
  }
}
