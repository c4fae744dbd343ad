internal import SectionTable

/// The settings of near-miss delays in this process. Read once, at the first section that may be
/// delayed.
struct DelaySettings {
  /// The share of the run time that delays may take, in per cent.
  static let defaultBudget = 5

  var budgetPercent = Self.defaultBudget
  /// The path of the trap file, which keeps pairs between runs; `nil` for none.
  var trapFile: String?
  /// The scope of pairs in the trap file: the subject's name in a stress run, otherwise empty.
  var scope = ""
  /// True if some sections are held open without a near miss: see `Probe`.
  var probes = false
}

extension SectionTracking {
  /// True if near-miss delays are on. Off by default; set it here or by `delays=on`.
  ///
  /// If two owners access a resource within 100 ms, at least one of them writing, later sections at
  /// these two places are sometimes held open for 2 to 6 ms, so that the other place can overlap. A
  /// conflict found this way is real: it happened. All delays together take at most 5 % of the run
  /// time (`delay_budget=`) and at most 2 s. The first 80 ms are free, so that a short run has
  /// delays. A delayed section may hold a lock, and then delays the threads that wait for it.
  /// Source: Li, Lu, Musuvathi et al., "Efficient Scalable Thread-Safety-Violation Detection"
  /// (TSVD, SOSP 2019).
  public static var delays: Bool {
    get { Settings.shared.delays }
    set { Settings.shared.delays = newValue }
  }

  /// The seed that decides delays. Different in every process by default; set it here or by
  /// `delay_seed=`.
  ///
  /// The same seed delays the same executions of a place, as far as the budget allows. The
  /// scheduler decides which owner makes an execution.
  public static var delaySeed: UInt64 {
    get { Settings.shared.delaySeed }
    set { Settings.shared.delaySeed = newValue }
  }

  /// The statistics of near-miss delays in this process.
  package struct DelayCounts: Sendable, Hashable {
    /// The number of delays made.
    package var delays = 0
    /// The total length of the delays, in microseconds.
    package var microseconds = 0
    /// The number of pairs of places whose sections are delayed.
    package var armed = 0
    /// The number of pairs that a lock seems to order.
    package var dropped = 0
    /// The number of pairs that have overlapped.
    package var found = 0
  }

  /// The statistics of near-miss delays so far; all zero if there were none.
  package static var delayCounts: DelayCounts { NearMissDelays.made?.counts ?? DelayCounts() }

  /// Switches delays and probes on in a trial's process, whatever the environment says.
  ///
  /// Call it before any section with delays.
  ///
  /// - Parameters:
  ///   - seed: The seed that decides delays.
  ///   - trapFile: The file that keeps pairs between runs; `nil` for none.
  ///   - scope: The scope of the pairs in the trap file.
  package static func startDelays(seed: UInt64, trapFile: String?, scope: String) {
    delaySeed = seed
    Settings.shared.startDelays(
      DelaySettings(trapFile: trapFile, scope: scope, probes: true))
  }

  /// Switches delays and probes on for one of several runs in a process, with its own budget. Pairs
  /// that an earlier run found or dropped are delayed again.
  ///
  /// - Parameter seed: The seed that decides delays.
  /// - Returns: True if delays were on before.
  package static func restartDelays(seed: UInt64) -> Bool {
    let wereOn = delays
    delaySeed = seed
    var plan = Settings.shared.delayPlan
    plan.probes = true
    Settings.shared.startDelays(plan)
    NearMissDelays.made?.restart()
    return wereOn
  }

  /// Writes the trap file, if there is one. For a process that ends without its exit handlers.
  package static func saveTraps() { NearMissDelays.made?.saveTraps() }
}
