package import Comparison
package import StressRunner

/// What options of `compare` can say; the initial values are the defaults.
package struct CompareOptions: Sendable, Hashable {
  /// The workloads; `nil` leaves a property as the default, or `--quick`, has it.
  package struct Axes: Sendable, Hashable {
    /// Callers.
    package var threads: [Int]?
    /// Calls of a hundred that read.
    package var reads: [Int]?
    /// Nanoseconds inside.
    package var sections: [Int]?
    /// Keys.
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

  /// Whether every memory cache is compared.
  package var caches = false
  /// The properties of the workloads.
  package var axes = Axes()
  /// Whether every combination is measured.
  package var isFull = false
  /// Whether few workloads are measured, for a first look.
  package var isQuick = false
  /// How many rounds; `nil` leaves it to the time.
  package var rounds: Int?
  /// How long all rounds may take; `nil` is the default.
  package var seconds: Double?
  /// Calls a second of all callers together; `nil` is as many as can be.
  package var rate: Double?
  /// The difference that is asked about: 0.05 is 5 %.
  package var difference = 0.05
  /// The strategy that others are compared with.
  package var reference = "nslock"
  /// Whether it was given: then it has to take part.
  package var isReferenceGiven = false
  /// An earlier comparison; `nil` is none.
  package var baseline: String?
  /// How far a strategy may fall behind it, where that is said.
  package var maxRegression: Double?
  /// How far it may in any case: 0.1 is 10 %.
  package var regressionLimit: Double { maxRegression ?? 0.1 }
  /// Whether a debug build measures too.
  package var allowsDebug = false

  /// The defaults.
  package init() {}

  /// The workloads that are asked for.
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

  /// How long all rounds may take together; the correctness pass and the harness's own cost come on
  /// top.
  package var measuringSeconds: Double { seconds ?? (isQuick ? 28 : 225) }
}
