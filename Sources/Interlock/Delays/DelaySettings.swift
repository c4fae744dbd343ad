/// How delays are made in this process: read once, at the first section that may be delayed.
struct DelaySettings {
  /// The part of the run time that delays may take, in per cent.
  static let defaultBudget = 5

  var budgetPercent = Self.defaultBudget
  /// Where pairs are kept from run to run; `nil` is nowhere.
  var trapFile: String?
  /// Whose pairs they are: the subject's name in a stress run, else empty.
  var scope = ""
  /// Whether a few sections are held open that have nearly met nobody yet: see `Probe`.
  var probes = false
}

extension SectionTracking {
  /// Whether near-miss delays are made: where two accesses by two owners, one of them to write,
  /// came within 100 ms, the next sections at these places stay open for 2 to 6 ms now and then, so
  /// that the other can walk in; off unless set here or by `delays=on`.
  ///
  /// A conflict found so is one like any other: it happened. All delays together take 5 % of the
  /// run time (`delay_budget=`) and never more than 2 s; the first 80 ms are free, since a short
  /// run would have none otherwise. A lock's holder may be delayed too, and those who wait for it
  /// with it. Source: Li, Lu, Musuvathi et al., "Efficient Scalable Thread-Safety-Violation
  /// Detection" (TSVD, SOSP 2019).
  public static var delays: Bool {
    get { Settings.shared.delays }
    set { Settings.shared.delays = newValue }
  }

  /// What the delays are decided by: another one in every process unless set here or by
  /// `delay_seed=`.
  ///
  /// The same seed delays the same executions of a place, of those for which there is time left;
  /// which owner it is that passes is the scheduler's choice.
  public static var delaySeed: UInt64 {
    get { Settings.shared.delaySeed }
    set { Settings.shared.delaySeed = newValue }
  }

  /// What near-miss delays have done in this process.
  package struct DelayCounts: Sendable, Hashable {
    /// Delays made.
    package var delays = 0
    /// How long they took together, in microseconds.
    package var microseconds = 0
    /// Pairs of places that delays look at.
    package var armed = 0
    /// Pairs that a lock orders, as far as was seen.
    package var dropped = 0
    /// Pairs that have met.
    package var found = 0
  }

  /// What near-miss delays have done so far; nothing where none were on.
  package static var delayCounts: DelayCounts { NearMissDelays.made?.counts ?? DelayCounts() }

  /// Switches delays on for a process that somebody else has started for a trial, whatever the
  /// environment says, and probes beside them. To be called before any section with delays.
  ///
  /// - Parameters:
  ///   - seed: What they are decided by.
  ///   - trapFile: Where pairs are kept from run to run; `nil` is nowhere.
  ///   - scope: Whose pairs they are.
  package static func startDelays(seed: UInt64, trapFile: String?, scope: String) {
    delaySeed = seed
    Settings.shared.startDelays(
      DelaySettings(trapFile: trapFile, scope: scope, probes: true))
  }

  /// Writes the trap file, if there is one: for a process that ends without running what is
  /// registered for its exit.
  package static func saveTraps() { NearMissDelays.made?.saveTraps() }
}
