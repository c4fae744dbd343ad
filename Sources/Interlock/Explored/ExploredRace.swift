internal import SectionTable
internal import Synchronization

/// The race of an explored execution.
package enum ExploredRace: Sendable, Hashable, Codable {
  /// Two sections conflict.
  case sections(SectionRace)
  /// Nothing orders two accesses of memory.
  case memory(MemoryRace)

  /// The race of sections; `nil` for a memory race.
  package var ofSections: SectionRace? {
    if case .sections(let race) = self { race } else { nil }
  }

  /// The memory race; `nil` for a race of sections.
  package var inMemory: MemoryRace? {
    if case .memory(let race) = self { race } else { nil }
  }

  /// Both sides in full; for a memory race, also its variable and its meaning.
  package var lines: [String] {
    switch self {
    case .sections(let race): race.lines
    case .memory(let race): race.lines
    }
  }
}

/// The memory races of an exploration in a child process.
package struct ExploredMemoryRaces: Sendable, Codable {
  fileprivate var shown: MemoryRace?
  fileprivate var failed: Set<KnownMemoryRaces.Sites>
  fileprivate var known: [KnownMemoryRaces.Sites: ExploredMemoryRace]

  /// True if there are no races.
  package var isEmpty: Bool { shown == nil && failed.isEmpty && known.isEmpty }
}

/// The data about two racing call sites that is found once in an exploration.
package struct ExploredMemoryRace: Sendable, Codable {
  /// True if the race fails the execution.
  package var isFailure: Bool
  /// The variable; `nil` if it has no name. Its memory is gone when the execution has ended.
  package var variable: String?

  /// Describes a race.
  package init(isFailure: Bool, variable: String? = nil) {
    self.isFailure = isFailure
    self.variable = variable
  }
}

/// The races of an exploration. Any thread may call its functions.
package enum ExploredRaces {
  private enum Found {
    case overlap(Overlap)
    case unordered(UnorderedLog.Entry)
    case memory(@Sendable () -> MemoryRace)
  }

  private struct State {
    var execution: UInt = 0
    var found: Found?
    /// Pairs of places whose order cannot be decided.
    var undecided: Set<Overlap.Identity> = []
    /// The data about pairs of call sites that raced.
    var inMemory: [KnownMemoryRaces.Sites: ExploredMemoryRace] = [:]
    /// The pairs of call sites whose races failed executions.
    var failed: Set<KnownMemoryRaces.Sites> = []
  }

  private static let state = Guarded(State())

  /// Records that two sections overlap; returns `false` if the calling thread is not explored.
  static func add(_ overlap: Overlap) -> Bool {
    guard let execution = ExploredSections.execution else { return false }
    note(.overlap(overlap.withExploredNames()), in: execution)
    ExploredSections.fail(overlap.headline)
    return true
  }

  /// Records that nothing orders two sections.
  static func add(_ entry: UnorderedLog.Entry, in execution: UInt) {
    let isUndecided = state.withLock { $0.undecided.contains(entry.overlap.anyInstances) }
    if isUndecided { return }
    var entry = entry
    entry.overlap = entry.overlap.withExploredNames()
    note(.unordered(entry), in: execution)
    ExploredSections.fail(entry.overlap.unorderedHeadline)
  }

  /// Records a memory race of the calling thread, which is explored. The same race usually occurs
  /// in many executions.
  ///
  /// - Parameters:
  ///   - sites: The call sites.
  ///   - isFailure: True if the race fails the execution, unless `judge` says otherwise.
  ///   - judge: Judges the race, once for its call sites in an exploration. Returns `nil` if
  ///     another race at these sites may be judged differently.
  ///   - describe: Describes the race. Called only if the race is shown.
  package static func add(
    at sites: KnownMemoryRaces.Sites, isFailure: Bool, judge: () -> ExploredMemoryRace?,
    describe: @escaping @Sendable (_ variable: String?) -> MemoryRace
  ) {
    guard let execution = ExploredSections.execution else { return }
    let known = state.withLock { $0.inMemory[sites] }
    // Call `judge` outside of the lock: it reads symbols.
    guard let judged = known ?? judge() else { return }
    state.withLock { $0.inMemory[sites] = judged }
    guard judged.isFailure else { return }
    note(.memory { describe(judged.variable) }, in: execution)
    guard isFailure else { return }
    state.withLock { _ = $0.failed.insert(sites) }
    // The exploration describes the race later, if it shows the race.
    ExploredSections.fail("race in memory")
  }

  /// Stores the first race of an execution, which is the one shown.
  private static func note(_ found: Found, in execution: UInt) {
    state.withLock { state in
      if state.execution == execution, state.found != nil { return }
      state.execution = execution
      state.found = found
    }
  }

  /// The race of the last execution that had one, with symbolicated stacks; `nil` if none had.
  package static var last: ExploredRace? {
    switch state.withLock({ $0.found }) {
    case .overlap(let overlap):
      .sections(SectionRace(overlap.conflict(count: 1), overlapped: true))
    case .unordered(let entry):
      .sections(SectionRace(entry.overlap.conflict(count: 1), overlapped: false))
    case .memory(let describe): .memory(describe())
    case nil: nil
    }
  }

  /// The sections of that race, with their addresses; `nil` if they overlapped.
  package static var unordered: UnorderedAccesses? {
    if case .unordered(let entry) = state.withLock({ $0.found }) { entry.accesses } else { nil }
  }

  /// The call sites of memory races that have failed executions since the last call.
  package static func takeSitesInMemory() -> Set<KnownMemoryRaces.Sites> {
    state.withLock { state in
      defer { state.failed = [] }
      return state.failed
    }
  }

  /// Adds the memory races that a child process found.
  package static func add(_ found: ExploredMemoryRaces) {
    state.withLock { state in
      if let race = found.shown { state.found = .memory { race } }
      state.failed.formUnion(found.failed)
      state.inMemory.merge(found.known) { $1 }
    }
  }

  /// The memory races, which a child process sends to the exploring process.
  package static var inMemory: ExploredMemoryRaces {
    let shown = last?.inMemory
    return state.withLock {
      ExploredMemoryRaces(shown: shown, failed: $0.failed, known: $0.inMemory)
    }
  }

  /// The variables that raced, by the call sites of their accesses.
  package static var variables: [UInt: String] {
    state.withLock { state in
      var variables: [UInt: String] = [:]
      for (sites, race) in state.inMemory {
        for site in sites.addresses { variables[site] = race.variable ?? variables[site] }
      }
      return variables
    }
  }

  /// From now on, the pair of the last race fails an execution only if it overlaps: its order
  /// cannot be decided.
  package static func setUndecided() {
    state.withLock { state in
      if case .unordered(let entry) = state.found {
        state.undecided.insert(entry.overlap.anyInstances)
      }
      state.found = nil
    }
  }

  /// Forgets the races before another body is explored.
  package static func removeAll() { state.withLock { $0 = State() } }
}

extension Overlap {
  fileprivate func withExploredNames() -> Overlap {
    var overlap = self
    overlap.first.threadName = ExploredSections.threadName(first.thread)
    overlap.second.threadName = ExploredSections.threadName(second.thread)
    return overlap
  }
}

extension SectionTracking {
  /// True if the calling thread is explored, so that its races belong to the exploration.
  package static var isExplored: Bool { ExploredSections.execution != nil }

  /// The calling thread's number in the running execution, as in schedules; `nil` if it is not
  /// explored.
  package static var exploredThread: Int? { ExploredSections.threadNumber }

  /// True if the order of sections is checked: see `followOrder`.
  package static var followsOrder: Bool {
    get { Settings.shared.followsOrder }
    set { Settings.shared.followsOrder = newValue }
  }
}
