import Comparison
import Findings
import StressRunner

/// The contestants and workloads of a comparison, selected by names and options before anything
/// runs.
struct CompareField {
  /// The strategies or caches to compare.
  var contestants: [Contestant] = []
  /// The workloads, the base first.
  var cells: [Cell] = []
  /// The scenarios of the correctness pass.
  var checks: [Scenario] = []
  /// The name of a contestant's subject in the correctness pass.
  var subjectNames: [String: String] = [:]
  /// What each contestant lacks on this machine, by contestant name.
  var missing: [String: String] = [:]
  /// True if caches are compared, false if tables under a lock are.
  var isOfCaches = false
  /// The strategy that others are compared with.
  var reference = ""
  /// Notes about the choice for the reader, one line each.
  var notes: [String] = []

  private let seed: UInt64
  private var workloads: [String: Workload] = [:]

  /// Selects the contestants and workloads.
  ///
  /// - Throws: An error for an unknown name, or for options that exclude each other.
  init(
    _ names: [String], _ options: Options, strategies: [StrategyEntry], subjects: [SubjectEntry],
    scenarios: [Scenario]
  ) throws(UsageError) {
    seed = options.seed ?? 1
    let named = try Self.chosenScenarios(names, among: scenarios)
    try Self.check(options, strategies: strategies, subjects: subjects)
    isOfCaches =
      options.compare.caches || !named.isEmpty || strategies.isEmpty
      || options.subjects.contains { name in !strategies.contains { $0.name == name } }
    if isOfCaches, options.compare.axes.sections != nil {
      throw UsageError("The option '--section <list>' means nothing for caches", .compare)
    }
    if !named.isEmpty, options.compare.axes.isGiven || options.compare.isFull {
      throw UsageError("A scenario has its own workload: name no other beside it", .compare)
    }
    if named.isEmpty {
      var grid = options.compare.grid
      if isOfCaches { grid.sections = [0] }
      cells = grid.cells
      if cells.isEmpty { throw UsageError("There is no workload to measure", .compare) }
      if cells.count > Grid.mostCells {
        throw UsageError(
          "These are \(cells.count) workloads, expected at most \(Grid.mostCells)", .compare)
      }
      checks = Self.checks(of: grid, isOfCaches: isOfCaches, seed: seed)
      if options.compare.axes.drivers?.contains(.dispatchQueue) != false {
        checks.append(Self.thousandReads(isOfCaches: isOfCaches, seed: seed))
      }
    } else {
      for scenario in named { try add(scenario) }
    }
    if isOfCaches {
      choose(subjects, options)
    } else {
      choose(strategies, options)
      noteCaches(subjects, options)
    }
    try setReference(options)
  }

  /// The calls of a workload.
  func calls(of cell: Cell) -> CellCalls {
    guard let workload = cell.scenario.flatMap({ workloads[$0] }) else {
      return CellCalls(cell, seed: seed)
    }
    guard var calls = CellCalls(workload, seed: seed) else {
      preconditionFailure("a scenario that cannot be measured is refused before")
    }
    calls.rings = Array(calls.rings.prefix(cell.threads))
    return calls
  }

  private static func chosenScenarios(
    _ names: [String], among scenarios: [Scenario]
  ) throws(UsageError) -> [Scenario] {
    for name in names where !scenarios.contains(where: { $0.name == name }) {
      throw UsageError(
        "There is no scenario '\(printable(name))'",
        Suggestion(for: name, among: scenarios.map(\.name)), .compare)
    }
    return scenarios.filter { names.contains($0.name) }
  }

  private static func check(
    _ options: Options, strategies: [StrategyEntry], subjects: [SubjectEntry]
  ) throws(UsageError) {
    var known = strategies.map(\.name)
    known += subjects.map(\.name).filter { !known.contains($0) }
    for name in options.subjects where !known.contains(name) {
      throw UsageError(
        "There is no strategy or cache '\(printable(name))'", Suggestion(for: name, among: known),
        .compare)
    }
    var seen: Set<String> = []
    for name in strategies.map(\.name) where !seen.insert(name).inserted {
      throw UsageError("This executable lists two strategies by the name '\(name)'", .compare)
    }
  }

  private mutating func add(_ scenario: Scenario) throws(UsageError) {
    let workload = scenario.workload
    guard let phase = CellCalls.measuredPhase(of: workload),
      CellCalls(workload, seed: seed) != nil
    else {
      throw UsageError(
        "The scenario '\(scenario.name)' is a script, or calls what not every cache has: there is"
          + " nothing to measure in it", .compare)
    }
    let callers = min(workload.phases[phase].callers, Grid.threadRange.upperBound)
    if callers < workload.phases[phase].callers {
      notes.append(
        "'\(scenario.name)' is measured with \(callers) of its"
          + " \(workload.phases[phase].callers) callers")
    }
    cells.append(
      Cell(
        threads: callers, reads: Self.readsOfHundred(workload.phases[phase].operations),
        sectionNanoseconds: 0, keys: workload.keys, distribution: workload.distribution,
        driver: workload.driver, scenario: scenario.name))
    workloads[scenario.name] = workload
    checks.append(scenario)
  }

  private mutating func choose(_ strategies: [StrategyEntry], _ options: Options) {
    let chosen = strategies.filter {
      options.subjects.isEmpty ? $0.runsUnlisted : options.subjects.contains($0.name)
    }
    contestants = chosen.map { Contestant($0) }
    for strategy in chosen { subjectNames[strategy.name] = strategy.trialName }
  }

  /// Adds a note about the user's caches that do not take part.
  private mutating func noteCaches(_ subjects: [SubjectEntry], _ options: Options) {
    guard options.subjects.isEmpty else { return }
    let caches = subjects.filter {
      $0.isMemoryCache && $0.runsUnlisted && !SubjectEntry.namesInTool.contains($0.name)
        && subjectNames[$0.name] == nil
    }.map { "'\($0.name)'" }
    guard !caches.isEmpty else { return }
    notes.append(
      "\(caches.joined(separator: ", ")) \(caches.count == 1 ? "is a cache" : "are caches"),"
        + " and this compares locks: 'compare --caches' measures caches")
  }

  private mutating func choose(_ subjects: [SubjectEntry], _ options: Options) {
    var chosen = subjects.filter { options.subjects.contains($0.name) }
    if options.subjects.isEmpty {
      let all = options.compare.caches
      chosen = subjects.filter { $0.isMemoryCache && (all || $0.runsUnlisted) }
      if chosen.isEmpty { chosen = subjects.filter(\.runsUnlisted) }
    }
    let workloads = workloads
    contestants = chosen.map { entry in
      Contestant(name: entry.name, summary: entry.summary) { cell, _ in
        let bytes = cell.scenario.flatMap { workloads[$0] }?.valueBytes ?? Self.valueBytes
        return Self.work(entry.make(), CacheData(keys: cell.keys, valueBytes: bytes), cell.driver)
      }
    }
    for subject in chosen {
      subjectNames[subject.name] = subject.name
      missing[subject.name] = subject.missing
    }
  }

  private mutating func setReference(_ options: Options) throws(UsageError) {
    let names = contestants.map(\.name)
    guard let first = names.first else {
      throw UsageError("There is nothing to compare: this executable lists nothing", .compare)
    }
    reference = options.compare.reference
    guard !names.contains(reference) else { return }
    if options.compare.isReferenceGiven {
      throw UsageError(
        "The reference '\(printable(reference))' does not take part",
        Suggestion(for: reference, among: names), .compare)
    }
    reference = first
  }

  /// The size of a cache's values if no scenario states it.
  private static let valueBytes = 64

  /// Calls a cache directly if possible. Calls that complete later are awaited, and never block a
  /// pool's thread.
  private static func work(
    _ subject: any Subject, _ data: CacheData, _ driver: Workload.Driver
  ) -> Work {
    if let cache = (subject as? any CacheBackedSubject)?.measuredCache {
      return .synchronous(CacheWork(cache, data))
    }
    if subject is AsyncCacheSubject || driver != .threads {
      return .asynchronous(AwaitedSubjectWork(subject, data))
    }
    return .synchronous(SubjectWork(subject, data))
  }

  /// One scenario for each driver, with the most callers of the grid, and with reads and writes if
  /// the grid has both.
  private static func checks(of grid: Grid, isOfCaches: Bool, seed: UInt64) -> [Scenario] {
    let reads = grid.reads.filter { (1...99).contains($0) }.min() ?? grid.reads.min() ?? 50
    let weights = [
      Workload.Weight(kind: .get, weight: reads), .init(kind: .set, weight: 100 - reads),
    ].filter { $0.weight > 0 }
    return grid.drivers.map { driver in
      let callers = max(2, grid.threads.max() ?? 2)
      let workload = Workload(
        driver: driver,
        phases: [
          .init(callers: callers, rounds: max(100, 8000 / callers), operations: .weighted(weights))
        ], keys: isOfCaches ? min(16, grid.keys.max() ?? 1) : 1, valueBytes: valueBytes,
        preparesAllKeys: isOfCaches, seed: seed)
      return Scenario(
        name: "compare-\(driver.rawValue)", summary: "The correctness pass.", source: "compare",
        workload: workload, limits: Limits(),
        oracles: isOfCaches
          ? [.completesOnce, .valuesIntact, .countMatches] : [.completesOnce, .totalsMatch],
        expectations: [:])
    }
  }

  /// The thousand reads. A strategy that starves Dispatch's pool gets no rank, however fast it is
  /// on few threads.
  private static func thousandReads(isOfCaches: Bool, seed: UInt64) -> Scenario {
    let workload = Workload(
      driver: .dispatchQueue,
      phases: [.init(callers: 1000, rounds: 1, operations: .sequence([.get]))],
      keys: 1, valueBytes: valueBytes, preparesAllKeys: isOfCaches, seed: seed)
    return Scenario(
      name: "compare-thousand-reads", summary: "A thousand reads at once.", source: "compare",
      workload: workload, limits: Limits(), oracles: [.completesOnce], expectations: [:])
  }

  private static func readsOfHundred(_ operations: Workload.Operations) -> Int {
    var (reads, all) = (0, 0)
    switch operations {
    case .sequence(let kinds):
      all = kinds.count
      reads = kinds.count { CacheCall($0) == .get }
    case .weighted(let weights):
      all = weights.reduce(0) { $0 + $1.weight }
      reads = weights.filter { CacheCall($0.kind) == .get }.reduce(0) { $0 + $1.weight }
    }
    return all == 0 ? 0 : (reads * 100 + all / 2) / all
  }
}
