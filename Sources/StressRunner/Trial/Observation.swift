package import Interlock
package import Prediction
package import ProcessInspection
package import Hangs

/// The facts observed of one trial, without a judgement.
package struct Observation: Sendable, Hashable, Codable {
  /// How the child ended.
  package enum Ending: Sendable, Hashable, Codable {
    /// It exited by itself with this code.
    case exited(code: Int32)
    /// It died of this signal, which the runner did not send.
    case signalled(number: Int32)
    /// It was stopped: no progress, and every thread blocked, over the stall window.
    case stalled
    /// It was stopped: its time was up.
    case outOfTime
    /// It was stopped: it had more resident memory than allowed.
    case outOfMemory(mebibytes: Int)
    /// It was stopped: it wrote more output than allowed.
    case flooded(bytes: Int)
    /// It was stopped: it wrote more to the event pipe than any child has to report.
    case floodedEvents(bytes: Int)
    /// It was not run: the machine lacks something that the subject needs, or the subject lacks a
    /// kind of call that the scenario makes.
    case notRun(reason: String)
  }

  /// The child's threads at one moment, with equal stacks folded into one group.
  package typealias ThreadGroup = ProcessInspection.ThreadGroup

  /// How many threads the child had at one moment.
  package struct ThreadCount: Sendable, Hashable, Codable {
    /// Seconds since the trial began.
    package var seconds: Double
    /// Threads in all.
    package var threads: Int

    /// Describes a sample.
    package init(seconds: Double, threads: Int) {
      self.seconds = seconds
      self.threads = threads
    }
  }

  /// An oracle that failed.
  package struct OracleFailure: Sendable, Hashable, Codable {
    /// Which one.
    package var oracle: Oracle
    /// What was found, and what was expected.
    package var evidence: String

    /// Describes a failure.
    package init(oracle: Oracle, evidence: String) {
      self.oracle = oracle
      self.evidence = evidence
    }
  }

  /// Where a child crashed.
  package struct Crash: Sendable, Hashable, Codable {
    /// The reason, in the words of the toolchain's backtracer.
    package var reason: String
    /// The crashed thread's stack, innermost first.
    package var stack: [StackFrame]

    /// Describes a crash.
    package init(reason: String, stack: [StackFrame]) {
      self.reason = reason
      self.stack = stack
    }
  }

  /// How the child ended.
  package var ending: Ending
  /// Whether the child reported that the workload had ended and the oracles had been checked.
  package var finished: Bool
  /// Calls completed.
  package var completed: Int
  /// Calls that the workload makes.
  package var operations: Int
  /// Callers that have begun a call and not completed it.
  package var callersInside: Int
  /// Callers that have not begun yet.
  package var callersWaiting: Int
  /// The time from the start of the child to its end; seconds.
  package var seconds: Double
  /// The time from the last progress to the decision that the child stalled; seconds.
  package var detectionSeconds: Double?
  /// The processors that the child could run on, 0 if unknown. The Swift task pool has as many
  /// threads for each priority.
  package var processors: Int
  /// The number of threads over time, at each change.
  package var threadCounts: [ThreadCount]
  /// The threads of a trial that stalled or ran out of time.
  package var threads: [ThreadGroup]
  /// The wait-for snapshot when no thread could continue, if the child's calls were seen.
  package var waits: WaitSnapshot?
  /// Whether the child's calls that wait and wake could be seen.
  package var seesCalls: Bool
  /// Predicted findings that did not occur in this run, if prediction was on.
  package var prediction: PredictionRecord
  /// The conflicts that were recorded.
  package var conflicts: [Conflict]
  /// What the check of memory found; `nil` if it was off.
  package var memory: MemoryRecord?
  /// The contention coverage; `nil` for a child that hung, crashed or was stopped.
  package var coverage: CoverageReport?
  /// The misuses of sections that were recorded, a line each.
  package var misuses: [String]
  /// The oracles that failed.
  package var oracleFailures: [OracleFailure]
  /// The oracles that could not be decided, with the reason as their evidence.
  package var undecidedOracles: [OracleFailure]
  /// The outcome of the script's order, if the workload is a script that has ended.
  package var script: ScriptRecord?
  /// What came of the exploration, if the trial explores and its child has reported.
  package var exploration: ExplorationRecord?
  /// Where it crashed, if it did.
  package var crash: Crash?
  /// The end of its standard error, cut to a few KiB.
  package var errorOutput: String

  /// An observation before any event.
  package init(ending: Ending, operations: Int) {
    self.ending = ending
    self.operations = operations
    finished = false
    completed = 0
    callersInside = 0
    callersWaiting = 0
    seconds = 0
    processors = 0
    threadCounts = []
    threads = []
    seesCalls = true
    prediction = PredictionRecord(state: .off)
    conflicts = []
    misuses = []
    oracleFailures = []
    undecidedOracles = []
    errorOutput = ""
  }
}
