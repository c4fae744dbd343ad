package import Interlock
package import Prediction
package import ProcessInspection
package import WaitForGraph

/// The facts that were observed of one trial, without a judgement.
package struct Observation: Sendable, Hashable, Codable {
  /// How the child ended.
  package enum Ending: Sendable, Hashable, Codable {
    /// It exited by itself with this code.
    case exited(code: Int32)
    /// It died of this signal, unasked.
    case signalled(number: Int32)
    /// It was stopped: no progress, and every thread blocked, over the stall window.
    case stalled
    /// It was stopped: its time was up.
    case outOfTime
    /// It was stopped: it had more resident memory than it may.
    case outOfMemory(mebibytes: Int)
    /// It was stopped: it wrote more than it may.
    case flooded(bytes: Int)
    /// It was stopped: it wrote what no child has to say to the pipe on which it reports.
    case floodedEvents(bytes: Int)
    /// It was not run: the subject needs what is not there, or does not have what the scenario
    /// needs.
    case notRun(reason: String)
  }

  /// The child's threads at one moment, those with equal stacks folded into one.
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

  /// An oracle that did not hold.
  package struct OracleFailure: Sendable, Hashable, Codable {
    /// Which one.
    package var oracle: Oracle
    /// What was found, and what should have been.
    package var evidence: String

    /// Describes a failure.
    package init(oracle: Oracle, evidence: String) {
      self.oracle = oracle
      self.evidence = evidence
    }
  }

  /// Where a child that died was.
  package struct Crash: Sendable, Hashable, Codable {
    /// What the toolchain's backtracer calls it.
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
  /// Whether the child itself said that the workload had ended and the oracles were asked.
  package var finished: Bool
  /// Calls completed.
  package var completed: Int
  /// Calls that the workload makes.
  package var operations: Int
  /// Callers that have begun a call and not completed it.
  package var callersInside: Int
  /// Callers that have not begun yet.
  package var callersWaiting: Int
  /// From the start of the child to its end; seconds.
  package var seconds: Double
  /// From the last progress to the decision, where it stalled; seconds.
  package var detectionSeconds: Double?
  /// The processors that the child could run on: as many threads has the Swift task pool, for each
  /// priority. 0 where it is not known.
  package var processors: Int
  /// The threads over time, where it changed.
  package var threadCounts: [ThreadCount]
  /// The threads, where it stalled or ran out of time.
  package var threads: [ThreadGroup]
  /// Who waited for whom when nothing went on, where the child's calls are seen.
  package var waits: WaitSnapshot?
  /// Whether the child's calls that wait and wake could be seen.
  package var seesCalls: Bool
  /// What did not go wrong and can, if anybody asked.
  package var prediction: PredictionRecord
  /// The conflicts that were recorded.
  package var conflicts: [Conflict]
  /// What the trial exercised, where its child lived to tell; `nil` for one that hung, crashed or
  /// was stopped.
  package var exercise: ExerciseReport?
  /// The misuses of sections that were recorded, a line each.
  package var misuses: [String]
  /// The oracles that did not hold.
  package var oracleFailures: [OracleFailure]
  /// The oracles that were asked and could not be decided, with the reason in the place of the
  /// evidence.
  package var undecidedOracles: [OracleFailure]
  /// What came of the script's order, where the workload is a script that has ended.
  package var script: ScriptRecord?
  /// Where it died, if it did.
  package var crash: Crash?
  /// The last of what it wrote to standard error, cut to a few KiB.
  package var errorOutput: String

  /// An observation in which nothing has happened yet.
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
