package import Comparison
package import StressRunner

/// The values of `compare`'s options; the initial values are the defaults.
package struct CompareOptions: Sendable, Hashable {
  /// The axes of the workloads; `nil` uses the default, or that of `--quick`.
  package struct Axes: Sendable, Hashable {
    /// The numbers of callers.
    package var threads: [Int]?
    /// How many of a hundred calls read.
    package var reads: [Int]?
    /// Nanoseconds inside the lock.
    package var sections: [Int]?
    /// The numbers of keys.
    package var keys: [Int]?
    /// How keys are drawn.
    package var distributions: [Workload.Distribution]?
    /// What runs the callers.
    package var drivers: [Workload.Driver]?

    /// The defaults.
    package init() {}

    /// Whether any was given.
    package var isGiven: Bool { self != Axes() }
  }

  /// Whether all memory caches are compared.
  package var caches = false
  /// The axes of the workloads.
  package var axes = Axes()
  /// Whether every combination is measured.
  package var isFull = false
  /// Whether only a few workloads are measured, for a first look.
  package var isQuick = false
  /// How many rounds; `nil` derives it from the time.
  package var rounds: Int?
  /// How long all rounds may take; `nil` for the default.
  package var seconds: Double?
  /// Calls per second of all callers together; `nil` for as many as possible.
  package var rate: Double?
  /// The smallest difference of interest: 0.05 is 5 %.
  package var difference = 0.05
  /// The strategy that others are compared with.
  package var reference = "nslock"
  /// Whether the reference was given: then it must be among the contestants.
  package var isReferenceGiven = false
  /// The file of an earlier comparison; `nil` for none.
  package var baseline: String?
  /// How much slower than the baseline a strategy may be, if given.
  package var maxRegression: Double?
  /// The limit in effect: 0.1 is 10 %.
  package var regressionLimit: Double { maxRegression ?? 0.1 }
  /// Whether a debug build measures too.
  package var allowsDebug = false

  /// The defaults.
  package init() {}

  /// Whether an option says what is measured, or gives the time for all workloads.
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

  /// How long all rounds may take together, without the correctness pass and the harness's own
  /// cost.
  package var measuringSeconds: Double { seconds ?? (isQuick ? 28 : Self.wholeSeconds) }
}
