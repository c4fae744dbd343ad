/// The figures of one round of one strategy on one workload.
package struct RoundFigures: Sendable, Hashable {
  /// Calls completed.
  package var operations: Int
  /// How long the round took.
  package var seconds: Double
  /// The percentiles of a call's duration, nanoseconds; empty if no call was timed.
  package var latencies: [LatencyPoint: Int]
  /// How many calls were timed.
  package var timed: Int
  /// An upper bound of any call's duration; nanoseconds.
  package var longestWait: Int
  /// Jain's index of the callers' completed calls: 1 if all are equal.
  package var fairness: Double
  /// The largest share of all calls by one caller, 0 to 1.
  package var largestShare: Double
  /// Processor time of one call, including the caller's; nanoseconds.
  package var processorNanoseconds: Double
  /// How often threads waited in the round.
  package var voluntarySwitches: Int
  /// How often threads were preempted.
  package var involuntarySwitches: Int
  /// The threads on which callers ran.
  package var threads: Int
  /// Reads that overlapped a write, and lost writes: each is a fault of the strategy.
  package var faults: Int

  /// A round with only the number of calls known.
  package init(operations: Int, seconds: Double) {
    self.operations = operations
    self.seconds = seconds
    latencies = [:]
    timed = 0
    longestWait = 0
    fairness = 1
    largestShare = 1
    processorNanoseconds = 0
    voluntarySwitches = 0
    involuntarySwitches = 0
    threads = 0
    faults = 0
  }

  /// Calls a second.
  package var throughput: Double { seconds > 0 ? Double(operations) / seconds : 0 }
}

/// The reported percentiles of each round.
package enum LatencyPoint: String, Sendable, Hashable, CaseIterable {
  /// The duration that half of the calls did not exceed.
  case p50
  /// The same for nine of ten calls.
  case p90
  /// The same for 99 of 100 calls.
  case p99
  /// The same for 999 of 1,000 calls.
  case p999 = "p99.9"
  /// The longest timed call.
  case max

  /// The fraction of the calls that do not exceed it.
  package var fraction: Double {
    switch self {
    case .p50: 0.5
    case .p90: 0.9
    case .p99: 0.99
    case .p999: 0.999
    case .max: 1
    }
  }
}
