import Interlock
import ProcessInspection

/// Judges the pools of a stalled child by its threads.
extension Verdict.PoolState {
  /// The most threads that a pool of libdispatch has on Linux.
  private static let largestPool = 255

  /// Judges the threads of a child that stalled.
  init(_ observation: Observation) {
    // Select pool threads that are blocked inside a caller's code.
    let workers = observation.threads.filter { group in
      group.state == "sleeping" && group.isOfPool && group.stack.contains { !$0.isPoolMachinery }
    }
    let blocked = workers.reduce(0) { $0 + $1.count }
    let jobs = workers.filter { $0.stack.contains { $0.isTaskJob } }.reduce(0) { $0 + $1.count }
    let isWorkWaiting = observation.callersWaiting > 0 || observation.callersInside > 0
    if blocked == 0 {
      self = .noWorkers
    } else if workers.allSatisfy(\.waitsForLock) {
      // A thread that waits for a lock waits for the lock's owner, not for a pool. If all workers
      // do, more workers would not help.
      self = .lockWaits
    } else if observation.processors > 0, jobs >= observation.processors, isWorkWaiting {
      self = .taskPoolFull(threads: jobs)
    } else if blocked >= Self.largestPool {
      self = .dispatchPoolFull(workers: blocked)
    } else if let growth = observation.stallGrowth {
      // The pool's monitor adds a worker only if work is queued and every worker waits.
      self = .dispatchPoolGrew(by: growth.threads, workers: blocked)
    } else {
      self = .nothingQueued(workers: blocked)
    }
  }
}

extension Observation.ThreadGroup {
  /// True for pool threads, by the stack, or without symbols by the name that libdispatch gives
  /// them.
  fileprivate var isOfPool: Bool {
    stack.contains { $0.isPoolWorker || $0.isTaskJob }
      || name.hasSuffix("-qos") || name.hasSuffix("-qos.overcommit")
      || name.hasPrefix("DispatchWorker")
  }

  fileprivate var waitsForLock: Bool {
    // The first frames are the C library's. The waiting function appears before the caller's code
    // begins.
    stack.prefix { $0.isSystem }.contains(where: \.isLockWait)
  }
}

extension Observation {
  /// The number of a stalled child's threads at its last progress, and the number added until the
  /// end; `nil` if none were added.
  package var stallGrowth: (before: Int, threads: Int)? {
    let stallStart = seconds - (detectionSeconds ?? 0)
    // Take the count half a second later as the base: the pool's first worker may start with the
    // stall.
    guard let before = threadCounts.last(where: { $0.seconds <= stallStart + 0.5 }),
      let last = threadCounts.last, last.threads > before.threads
    else { return nil }
    return (before.threads, last.threads - before.threads)
  }
}
