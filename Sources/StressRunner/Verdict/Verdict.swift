package import Explorer
package import Interlock
package import Hangs

/// The judgement of an observation, with the evidence that decided it.
///
/// A verdict has no text: `Reports` formats the message from it and from the observation. Indirect,
/// because most of a hundred thousand results have passed.
package indirect enum Verdict: Sendable, Hashable, Codable {
  /// Every operation completed, no conflict, every oracle held.
  case passed
  /// A conflict was recorded: the first one.
  case race(Conflict)
  /// Nothing orders two memory accesses. The value is the first such pair.
  case memoryRace(MemoryRace)
  /// No thread can continue.
  case deadlock(Deadlock)
  /// An oracle failed, or a section was misused.
  case violation(Violation)
  /// The child died of a signal or a trap, or was stopped because it exceeded a limit.
  case crashed(Crash)
  /// The trial was still making progress when its time was up.
  case timedOut(Timeout)
  /// An order of the workload failed.
  case explored(ExplorationFailure)
  /// This machine lacks something that the subject needs.
  case skipped(reason: String)

  /// The names of verdicts in scenario files and reports.
  package enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    case passed, race, deadlock, violation, crashed, timedOut, skipped
    /// The same choices led to different steps, so an exploration shows nothing. No scenario can
    /// expect this verdict.
    case undecided
  }

  /// The evidence that no thread can continue.
  package enum Deadlock: Sendable, Hashable, Codable {
    /// The wait-for graph.
    case graph(Diagnosis)
    /// The threads of the pools, if there is no graph or it may be incomplete; together with the
    /// graph's diagnosis, if there is one.
    case pools(PoolState, Diagnosis?)
  }

  /// The state of a stalled child's pools.
  package enum PoolState: Sendable, Hashable, Codable {
    /// No blocked thread belongs to a pool.
    case noWorkers
    /// All workers wait for locks: more workers would not help.
    case lockWaits
    /// All threads of the Swift task pool wait, and tasks are queued.
    case taskPoolFull(threads: Int)
    /// The Dispatch pool has its maximum number of threads, and all wait.
    case dispatchPoolFull(workers: Int)
    /// The Dispatch pool grew since the last progress, so work is queued.
    case dispatchPoolGrew(by: Int, workers: Int)
    /// Workers wait, and no work is queued.
    case nothingQueued(workers: Int)
  }

  /// The violated condition.
  package enum Violation: Sendable, Hashable, Codable {
    /// An oracle: the first that failed.
    case oracle(Observation.OracleFailure)
    /// A section was misused: the first misuse.
    case misuse(String)
    /// Accepted calls that no thread will complete; with the wait-for graph's diagnosis, if there
    /// is one.
    case lostCalls(Int, Diagnosis?)
    /// The number of completed calls differs from the number of calls in the workload.
    case miscount
  }

  /// The end of a child before its workload could be judged.
  package enum Crash: Sendable, Hashable, Codable {
    /// The child died of a signal. If a call waits for its own thread, at which libdispatch traps,
    /// the diagnosis of that call is included.
    case signal(Int32, Trap?, Diagnosis?)
    /// The child was stopped: it used more resident memory than allowed.
    case outOfMemory(mebibytes: Int)
    /// The child was stopped: it wrote more output than allowed.
    case flooded(bytes: Int)
    /// The child was stopped: it wrote more to the event pipe than any child has to report.
    case floodedEvents(bytes: Int)
    /// The child exited by itself, with this code.
    case exited(code: Int32)
  }

  /// The reason for a trap, as shown by the stack or standard error.
  package enum Trap: Sendable, Hashable, Codable {
    /// A synchronous call on a Dispatch queue that the thread is on.
    case syncOnOwnQueue
    /// A semaphore was freed while a thread waited on it, or below its initial value.
    case semaphoreFreed
    /// A group was left more often than entered.
    case groupOverleft
    /// A line that the Swift runtime wrote.
    case said(String)
  }

  /// The limit that a trial reached.
  package enum Timeout: Sendable, Hashable, Codable {
    /// The time limit; with the pool that the child waits for, if that pool is only slow.
    case limit(SlowPool?)
    /// The time limit of a script's order, which was not completed: the interleaving was not tried.
    case order(reason: String)
  }

  /// A pool that grows by one thread a second, up to the number that its callers need.
  package struct SlowPool: Sendable, Hashable, Codable {
    /// The number of threads in the pool.
    package var threads: Int
    /// The number of threads that its callers need.
    package var needed: Int

    /// Describes a pool.
    package init(threads: Int, needed: Int) {
      self.threads = threads
      self.needed = needed
    }
  }
}

extension Verdict {
  /// The name of the verdict.
  package var kind: Kind {
    switch self {
    case .passed: .passed
    case .race, .memoryRace: .race
    case .deadlock: .deadlock
    case .violation: .violation
    case .crashed: .crashed
    case .timedOut: .timedOut
    case .explored(let failure): failure.verdict.kind
    case .skipped: .skipped
    }
  }

  /// Why no thread can continue; `self` for a crash at a call that waits for its own thread; `nil`
  /// for all other verdicts.
  package var cause: Diagnosis.Cause? {
    switch self {
    case .deadlock(.graph(let diagnosis)): diagnosis.cause
    case .deadlock(.pools(let state, _)): state.cause
    case .crashed(.signal(_, _, let diagnosis)): diagnosis?.cause
    case .explored(let failure): failure.cause
    default: nil
    }
  }

  /// The wait-for graph's diagnosis of a hung child; `nil` if the child did not hang, or its calls
  /// were not followed.
  package var diagnosis: Diagnosis? {
    switch self {
    case .deadlock(.graph(let diagnosis)): diagnosis
    case .deadlock(.pools(_, let diagnosis)), .violation(.lostCalls(_, let diagnosis)),
      .crashed(.signal(_, _, let diagnosis)):
      diagnosis
    default: nil
    }
  }
}

extension Verdict.PoolState {
  /// The cause of the deadlock.
  package var cause: Diagnosis.Cause {
    switch self {
    case .taskPoolFull, .dispatchPoolFull, .dispatchPoolGrew: .starvation
    case .noWorkers, .lockWaits, .nothingQueued: .unknown
    }
  }
}

extension ExplorationFailure.Verdict {
  /// The kind of verdict: `crashed` for a call that the system answers with a trap, `timedOut` for
  /// an execution that reaches a limit.
  package var kind: Verdict.Kind {
    switch self {
    case .failed: .violation
    case .deadlock: .deadlock
    case .livelock, .timedOut: .timedOut
    case .crashed, .misuse, .selfWait: .crashed
    case .race: .race
    case .notDeterministic: .undecided
    }
  }
}
