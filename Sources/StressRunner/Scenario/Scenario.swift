/// A workload, its limits, and what each subject is expected to do: one file of `StressScenarios/`.
///
/// `StressScenarios/README.md` documents every key of the file.
package struct Scenario: Sendable, Hashable, Codable {
  /// The name, unique in its folder: lower case, words joined by hyphens.
  package var name: String
  /// What it does, in one line.
  package var summary: String
  /// Where the scenario's idea comes from; `nil` if it is a common one.
  package var source: String?
  /// Which calls are made, by how many callers and how often.
  package var workload: Workload
  /// The limits at which a trial is stopped.
  package var limits: Limits
  /// The checks in addition to completion and conflicts.
  package var oracles: [Oracle]
  /// The expected verdict by subject name, on this platform; `passed` for a subject not named.
  package var expectations: [String: Expectation]
  /// What an exploration is expected to show, by subject name; see `exploreExpectation(for:)`.
  package var exploreExpectations: [String: Expectation] = [:]
  /// Whether it is only explored: one run of it shows nothing.
  package var isExploredOnly = false
  /// The subjects that it applies to; `nil` for every subject that runs unlisted.
  package var subjects: [String]?
  /// Whether an unlisted subject takes part only if it is a cache, or is asked for by name.
  package var isForCaches: Bool {
    get { forCaches ?? false }
    set { forCaches = newValue }
  }
  /// Optional: an older record lacks it.
  private var forCaches: Bool?
  /// How many processors the child's thread pools are made for; `nil` for the machine's.
  package var poolWidth: Int?
  /// The bug of a real system that it reproduces, if any.
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

  /// What this scenario expects of a subject.
  package func expectation(for subject: String) -> Expectation {
    var expectation = expectations[subject] ?? Expectation(verdict: .passed)
    expectation.explored = nil
    return expectation
  }

  /// What this scenario expects of an exploration of a subject: without an expectation of its own,
  /// the verdict of a run, since an exploration executes at least one order, or the one that
  /// `expect` accepts of an exploration besides.
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
  /// The part of its design that is at fault, in a few words.
  package var design: String
  /// What goes wrong, in a few words.
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

/// Which calls are made, by how many callers and how often. It is data: it starts no thread.
package struct Workload: Sendable, Hashable, Codable {
  /// What runs the callers.
  package enum Driver: String, Sendable, Hashable, CaseIterable, Codable {
    /// One concurrent Dispatch queue, a block a caller, in a group.
    case dispatchQueue = "dispatch-queue"
    /// A thread a caller, all released by one barrier.
    case threads
    /// A child task a caller, in a task group.
    case tasks
  }

  /// How keys are drawn.
  package enum Distribution: String, Sendable, Hashable, CaseIterable, Codable {
    /// Every key is equally likely.
    case uniform
    /// Key number r has a likelihood of 1/(r+1) (Zipf, exponent 1).
    case zipf
    /// Each caller uses its own key, by its number.
    case perCaller = "per-caller"
  }

  /// A part of the workload; the next phase begins when every call of this one has completed.
  package struct Phase: Sendable, Hashable, Codable {
    /// How many callers, 1 to 1,000,000.
    package var callers: Int
    /// How often each caller repeats its operations, 1 to 1,000,000.
    package var rounds: Int
    /// What a caller does in each round.
    package var operations: Operations

    /// Describes a phase.
    package init(callers: Int, rounds: Int, operations: Operations) {
      self.callers = callers
      self.rounds = rounds
      self.operations = operations
    }
  }

  /// What a caller does in a round.
  package enum Operations: Sendable, Hashable, Codable {
    /// These calls in this order, all on the round's key.
    case sequence([Operation.Kind])
    /// One call, drawn by weight. The order is that of the file, so that a seed always gives the
    /// same workload.
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

  /// What runs the callers.
  package var driver: Driver
  /// The phases of the workload, in order; at least one.
  package var phases: [Phase]
  /// How many keys, 1 to 1,000,000.
  package var keys: Int
  /// How keys are drawn.
  package var distribution: Distribution
  /// The size of every value in bytes, 0 to 16 MiB.
  package var valueBytes: Int
  /// Whether one caller sets every key before the first phase.
  package var preparesAllKeys: Bool
  /// A few callers in a fixed order, instead of phases that follow from the seed.
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

  /// How many calls the whole workload makes, without the preparation.
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
  /// The limit on standard output and standard error together, in bytes; more is judged a crash.
  package static let outputBytes = 16 << 20

  /// The stall window: without progress for this long, and with every thread blocked, a trial is a
  /// deadlock; seconds.
  package var stallSeconds: Double
  /// The time after which a trial is stopped in any state; seconds.
  package var timeSeconds: Double
  /// The limit on resident memory; more is judged a crash; MiB.
  package var memoryMebibytes: Int
  /// How many calls may begin and complete while one call is under way, for `hold-up-bounded`.
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
