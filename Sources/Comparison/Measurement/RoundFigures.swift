/// What one round of one strategy on one workload came to.
package struct RoundFigures: Sendable, Hashable {
  /// Calls completed.
  package var operations: Int
  /// How long the round took.
  package var seconds: Double
  /// The percentiles of a call's duration: of each fraction in `LatencyPoint.allCases`,
  /// nanoseconds; `nil` where nothing was timed.
  package var latencies: [LatencyPoint: Int]
  /// How many calls were timed.
  package var timed: Int
  /// No call of any caller took longer: nanoseconds.
  package var longestWait: Int
  /// Jain's index of what the callers got done: 1 is all the same.
  package var fairness: Double
  /// The largest part of all calls that one caller made, 0 to 1.
  package var largestShare: Double
  /// Processor time for one call, the callers' own included; nanoseconds.
  package var processorNanoseconds: Double
  /// How often a thread waited, in the round.
  package var voluntarySwitches: Int
  /// How often a thread was taken its processor from.
  package var involuntarySwitches: Int
  /// The threads that callers were seen on.
  package var threads: Int
  /// Reads beside a writer, and writes that were lost: each is a fault of the strategy.
  package var faults: Int

  /// A round of which no more than its calls is known.
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

/// The percentiles that are told of each round.
package enum LatencyPoint: String, Sendable, Hashable, CaseIterable {
  /// Half of the calls were not longer.
  case p50
  /// Nine of ten.
  case p90
  /// 99 of 100.
  case p99
  /// 999 of 1,000.
  case p999 = "p99.9"
  /// All that were timed.
  case max

  /// The part of the calls that are not longer.
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
