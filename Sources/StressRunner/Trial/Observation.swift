package import Interlock
package import Prediction
package import ProcessInspection
package import Hangs

/// The facts observed of one trial, without a judgement.
package struct Observation: Sendable, Hashable, Codable {
  /// How the child ended.
  package enum Ending: Sendable, Hashable, Codable {
    /// The child exited by itself with this code.
    case exited(code: Int32)
    /// The child died of this signal, which the runner did not send.
    case signalled(number: Int32)
    /// The child was stopped: it made no progress, with every thread blocked, over the stall
    /// window.
    case stalled
    /// The child was stopped at its time limit.
    case outOfTime
    /// The child was stopped: it used more resident memory than allowed.
    case outOfMemory(mebibytes: Int)
    /// The child was stopped: it wrote more output than allowed.
    case flooded(bytes: Int)
    /// The child was stopped: it wrote more to the event pipe than any child has to report.
    case floodedEvents(bytes: Int)
    /// The trial was not run: the machine lacks something that the subject needs, or the subject
    /// does not support a kind of call in the scenario.
    case notRun(reason: String)
  }

  /// The child's threads at one moment, with equal stacks folded into one group.
  package typealias ThreadGroup = ProcessInspection.ThreadGroup

  /// The number of threads in the child at one moment.
  package struct ThreadCount: Sendable, Hashable, Codable {
    /// Seconds since the trial began.
    package var seconds: Double
    /// The number of all threads.
    package var threads: Int

    /// Describes a sample.
    package init(seconds: Double, threads: Int) {
      self.seconds = seconds
      self.threads = threads
    }
  }

  /// An oracle that failed.
  package struct OracleFailure: Sendable, Hashable, Codable {
    /// The oracle.
    package var oracle: Oracle
    /// The value found and the value expected.
    package var evidence: String

    /// Describes a failure.
    package init(oracle: Oracle, evidence: String) {
      self.oracle = oracle
      self.evidence = evidence
    }
  }

  /// The place and reason of a child's crash.
  package struct Crash: Sendable, Hashable, Codable {
    /// The reason, as reported by the toolchain's backtracer.
    package var reason: String
    /// The crashed thread's stack, innermost frame first.
    package var stack: [StackFrame]

    /// Describes a crash.
    package init(reason: String, stack: [StackFrame]) {
      self.reason = reason
      self.stack = stack
    }
  }

  /// How the child ended.
  package var ending: Ending
  /// True if the child reported that the workload had ended and the oracles had been checked.
  package var finished: Bool
  /// The number of completed calls.
  package var completed: Int
  /// The number of calls in the workload.
  package var operations: Int
  /// The number of callers that have begun a call and not completed it.
  package var callersInside: Int
  /// The number of callers that have not begun yet.
  package var callersWaiting: Int
  /// The seconds from the start of the child to its end.
  package var seconds: Double
  /// The seconds from the last progress to the decision that the child stalled.
  package var detectionSeconds: Double?
  /// The number of processors that the child could use, 0 if unknown. The Swift task pool has as
  /// many threads for each priority.
  package var processors: Int
  /// The number of threads over time, at each change.
  package var threadCounts: [ThreadCount]
  /// The threads of a trial that stalled or ran out of time.
  package var threads: [ThreadGroup]
  /// The wait-for snapshot when no thread could continue; `nil` if the child's calls were not
  /// followed.
  package var waits: WaitSnapshot?
  /// True if the child's waiting and waking calls could be followed.
  package var seesCalls: Bool
  /// Predicted findings that did not occur in this run, if prediction was on.
  package var prediction: PredictionRecord
  /// The conflicts that were recorded.
  package var conflicts: [Conflict]
  /// The findings of the memory check; `nil` if it was off.
  package var memory: MemoryRecord?
  /// The contention coverage; `nil` for a child that hung, crashed or was stopped.
  package var coverage: CoverageReport?
  /// The recorded misuses of sections, one line each.
  package var misuses: [String]
  /// The oracles that failed.
  package var oracleFailures: [OracleFailure]
  /// The oracles that could not be decided, with the reason as their evidence.
  package var undecidedOracles: [OracleFailure]
  /// The outcome of the script's order, if the workload is a script that has ended.
  package var script: ScriptRecord?
  /// The outcome of the exploration; `nil` if the trial does not explore or its child has not
  /// reported.
  package var exploration: ExplorationRecord?
  /// The child's crash; `nil` if it did not crash.
  package var crash: Crash?
  /// The end of the child's standard error, cut to a few KiB.
  package var errorOutput: String

  /// Creates an observation without events.
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
