package import Comparison
package import StressRunner

/// The values of the options specific to `compare`; the initial values are the defaults.
package struct CompareOptions: Sendable, Hashable {
  /// The axes of the workloads; `nil` uses the default, or that of `--quick`.
  package struct Axes: Sendable, Hashable {
    /// The numbers of callers.
    package var threads: [Int]?
    /// The numbers of reads in a hundred calls.
    package var reads: [Int]?
    /// The times inside the lock, in nanoseconds.
    package var sections: [Int]?
    /// The numbers of keys.
    package var keys: [Int]?
    /// The distributions of keys.
    package var distributions: [Workload.Distribution]?
    /// The drivers, which determine how the callers run.
    package var drivers: [Workload.Driver]?

    /// Creates the default axes.
    package init() {}

    /// True if any axis was given.
    package var isGiven: Bool { self != Axes() }
  }

  /// True to compare all memory caches.
  package var caches = false
  /// The axes of the workloads.
  package var axes = Axes()
  /// True to measure every combination.
  package var isFull = false
  /// True to measure only a few workloads, for a first look.
  package var isQuick = false
  /// The number of rounds; `nil` derives it from the time.
  package var rounds: Int?
  /// The seconds for all rounds; `nil` for the default.
  package var seconds: Double?
  /// The calls per second of all callers together; `nil` for as many as possible.
  package var rate: Double?
  /// The smallest difference of interest: 0.05 is 5 %.
  package var difference = 0.05
  /// The strategy that others are compared with.
  package var reference = "nslock"
  /// True if the reference was given: then it must be among the contestants.
  package var isReferenceGiven = false
  /// The file of an earlier comparison; `nil` for none.
  package var baseline: String?
  /// The largest slowdown against the baseline that a strategy may have; `nil` if not given.
  package var maxRegression: Double?
  /// The slowdown limit in effect: 0.1 is 10 %.
  package var regressionLimit: Double { maxRegression ?? 0.1 }
  /// True if a debug build measures too.
  package var allowsDebug = false

  /// Creates the default options.
  package init() {}

  /// True if an option determines what is measured, or gives enough time for all workloads.
  package var saysHowMuch: Bool {
    axes.isGiven || isFull || isQuick || rounds != nil || seconds ?? 0 >= Self.wholeSeconds
  }

  private static let wholeSeconds = 225.0

  /// The workloads to measure.
  package var grid: Grid {
    var grid = isQuick ? Grid.quick : Grid()
    if let threads = axes.threads { grid.threads = threads }
    if let reads = axes.reads { grid.reads = reads }
    if let sections = axes.sections { grid.sections = sections }
    if let keys = axes.keys { grid.keys = keys }
    if let distributions = axes.distributions { grid.distributions = distributions }
    if let drivers = axes.drivers { grid.drivers = drivers }
    grid.extent = isFull ? .full : .oneAtATime
    return grid
  }

  /// The seconds for all rounds together, without the correctness pass and the harness's own cost.
  package var measuringSeconds: Double { seconds ?? (isQuick ? 28 : Self.wholeSeconds) }
}
