/// A workload, its limits, and the expected verdict of each subject: one file of
/// `StressScenarios/`.
///
/// `StressScenarios/README.md` documents every key of the file.
package struct Scenario: Sendable, Hashable, Codable {
  /// The name, unique in its folder: lower case, words joined by hyphens.
  package var name: String
  /// The purpose, in one line.
  package var summary: String
  /// The source of the scenario's idea; `nil` if the idea is common knowledge.
  package var source: String?
  /// The calls, the number of callers, and the number of repetitions.
  package var workload: Workload
  /// The limits at which a trial is stopped.
  package var limits: Limits
  /// The checks in addition to completion and conflicts.
  package var oracles: [Oracle]
  /// The expected verdict by subject name, on this platform; `passed` for a subject not named.
  package var expectations: [String: Expectation]
  /// What an exploration is expected to show, by subject name; see `exploreExpectation(for:)`.
  package var exploreExpectations: [String: Expectation] = [:]
  /// True if the scenario is only explored: a single run shows nothing.
  package var isExploredOnly = false
  /// The subjects that the scenario applies to; `nil` for every subject that runs unlisted.
  package var subjects: [String]?
  /// True if an unlisted subject takes part only if it is a cache, or is requested by name.
  package var isForCaches: Bool {
    get { forCaches ?? false }
    set { forCaches = newValue }
  }
  /// Optional, because older records lack it.
  private var forCaches: Bool?
  /// The number of processors for which the child's pools are sized; `nil` for the machine's.
  package var poolWidth: Int?
  /// The bug of a real system that the scenario reproduces; `nil` for none.
  package var recipe: Recipe?

  /// Describes a scenario.
  package init(
    name: String, summary: String, source: String?, workload: Workload, limits: Limits,
    oracles: [Oracle], expectations: [String: Expectation], subjects: [String]? = nil,
    recipe: Recipe? = nil
  ) {
    self.name = name
    self.summary = summary
    self.source = source
    self.workload = workload
    self.limits = limits
    self.oracles = oracles
    self.expectations = expectations
    self.subjects = subjects
    self.recipe = recipe
  }

  /// The expectation for a subject in a run.
  package func expectation(for subject: String) -> Expectation {
    var expectation = expectations[subject] ?? Expectation(verdict: .passed)
    expectation.explored = nil
    return expectation
  }

  /// The expectation for a subject in an exploration. Without an entry in `exploreExpectations`,
  /// the verdict of a run is expected, since an exploration executes at least one order; the
  /// failure that `expect` accepts from an exploration is accepted too.
  package func exploreExpectation(for subject: String) -> Expectation {
    if let own = exploreExpectations[subject] { return own }
    guard let ofRun = expectations[subject] else { return Expectation(verdict: .passed) }
    var expectation = Expectation(verdict: ofRun.verdict, cause: ofRun.cause)
    expectation.explored = ofRun.explored
    return expectation
  }
}

/// A known bug of a real system, and the two subjects that show it: a row of `interlock recipes`.
package struct Recipe: Sendable, Hashable, Codable {
  /// The bug's identifier in the documentation: `TM-3`.
  package var id: String
  /// The system: `TMCache`.
  package var system: String
  /// The faulty part of the design, in a few words.
  package var design: String
  /// The fault, in a few words.
  package var bug: String
  /// The subject as it was shipped.
  package var asShipped: String
  /// The subject with the fix; `nil` if none is known.
  package var repaired: String?

  /// Describes a recipe.
  package init(
    id: String, system: String, design: String, bug: String, asShipped: String, repaired: String?
  ) {
    self.id = id
    self.system = system
    self.design = design
    self.bug = bug
    self.asShipped = asShipped
    self.repaired = repaired
  }
}

/// The calls, the number of callers, and the number of repetitions. Pure data: it starts no thread.
package struct Workload: Sendable, Hashable, Codable {
  /// How the callers run.
  package enum Driver: String, Sendable, Hashable, CaseIterable, Codable {
    /// One concurrent Dispatch queue, with a block for each caller, in a group.
    case dispatchQueue = "dispatch-queue"
    /// A thread for each caller, all released by one barrier.
    case threads
    /// A child task for each caller, in a task group.
    case tasks
  }

  /// How keys are drawn.
  package enum Distribution: String, Sendable, Hashable, CaseIterable, Codable {
    /// Every key is equally likely.
    case uniform
    /// The probability of key number r is proportional to 1/(r+1) (Zipf, exponent 1).
    case zipf
    /// Each caller uses its own key, by its number.
    case perCaller = "per-caller"
  }

  /// A part of the workload; the next phase begins when every call of this one has completed.
  package struct Phase: Sendable, Hashable, Codable {
    /// The number of callers, 1 to 1,000,000.
    package var callers: Int
    /// The number of times that each caller repeats its operations, 1 to 1,000,000.
    package var rounds: Int
    /// The calls of a caller in each round.
    package var operations: Operations

    /// Describes a phase.
    package init(callers: Int, rounds: Int, operations: Operations) {
      self.callers = callers
      self.rounds = rounds
      self.operations = operations
    }
  }

  /// The calls of a caller in a round.
  package enum Operations: Sendable, Hashable, Codable {
    /// These calls in this order, all on the round's key.
    case sequence([Operation.Kind])
    /// One call, drawn by weight. The weights are in the order of the file, so that a seed always
    /// gives the same workload.
    case weighted([Weight])
  }

  /// A kind of call and its weight.
  package struct Weight: Sendable, Hashable, Codable {
    /// The kind of call.
    package var kind: Operation.Kind
    /// The weight, from 1; only ratios count.
    package var weight: Int

    /// Gives a kind a weight.
    package init(kind: Operation.Kind, weight: Int) {
      self.kind = kind
      self.weight = weight
    }
  }

  /// How the callers run.
  package var driver: Driver
  /// The phases of the workload, in order; at least one.
  package var phases: [Phase]
  /// The number of keys, 1 to 1,000,000.
  package var keys: Int
  /// How keys are drawn.
  package var distribution: Distribution
  /// The size of every value in bytes, 0 to 16 MiB.
  package var valueBytes: Int
  /// True if one caller sets every key before the first phase.
  package var preparesAllKeys: Bool
  /// A few callers in a fixed order, in place of phases that depend on the seed.
  package var script: Script?
  /// The seed used unless the command line gives another.
  package var seed: UInt64

  /// Describes a workload.
  package init(
    driver: Driver, phases: [Phase], keys: Int, distribution: Distribution = .uniform,
    valueBytes: Int, preparesAllKeys: Bool, seed: UInt64
  ) {
    self.driver = driver
    self.phases = phases
    self.keys = keys
    self.distribution = distribution
    self.valueBytes = valueBytes
    self.preparesAllKeys = preparesAllKeys
    self.seed = seed
  }

  /// Describes a workload that is a script: one caller per role, each on its own thread.
  package init(script: Script, keys: Int, valueBytes: Int, preparesAllKeys: Bool, seed: UInt64) {
    self.init(
      driver: .threads,
      phases: [Phase(callers: script.roles.count, rounds: 1, operations: .sequence([]))],
      keys: keys, valueBytes: valueBytes, preparesAllKeys: preparesAllKeys, seed: seed)
    self.script = script
  }

  /// The number of calls in the whole workload, without the preparation.
  package var operationCount: Int {
    if let script { return script.callCount }
    return phases.reduce(0) { total, phase in
      let perRound =
        switch phase.operations {
        case .sequence(let kinds): kinds.count
        case .weighted: 1
        }
      return total + phase.callers * phase.rounds * perRound
    }
  }
}

/// The limits at which a trial is stopped.
package struct Limits: Sendable, Hashable, Codable {
  /// The limit of standard output and standard error together, in bytes. Exceeding it is a crash.
  package static let outputBytes = 16 << 20

  /// The stall window in seconds: a trial without progress for this long, and with every thread
  /// blocked, is a deadlock.
  package var stallSeconds: Double
  /// The seconds after which a trial is stopped in any state.
  package var timeSeconds: Double
  /// The limit of resident memory in MiB. Exceeding it is a crash.
  package var memoryMebibytes: Int
  /// The number of calls that may begin and complete during one call, for `hold-up-bounded`.
  package var overtakes: Int

  /// Describes the limits.
  package init(
    stallSeconds: Double = 2, timeSeconds: Double = 30, memoryMebibytes: Int = 1024,
    overtakes: Int = 10_000
  ) {
    self.stallSeconds = stallSeconds
    self.timeSeconds = timeSeconds
    self.memoryMebibytes = memoryMebibytes
    self.overtakes = overtakes
  }
}
