internal import SectionTable
internal import Synchronization

/// Two sections that conflict in an explored execution, or two accesses of memory that race there.
package enum ExploredRace: Sendable {
  /// They overlapped.
  case overlap(Conflict)
  /// They did not overlap in that order, but nothing orders them.
  case unordered(UnorderedAccesses)
  /// Nothing orders two accesses of memory.
  case memory(MemoryRace)

  /// The race in memory; `nil` for one of sections.
  package var inMemory: MemoryRace? {
    if case .memory(let race) = self { race } else { nil }
  }
}

/// The races in memory of an exploration in a child process.
package struct ExploredMemoryRaces: Sendable, Codable {
  fileprivate var shown: MemoryRace?
  fileprivate var failed: Set<KnownMemoryRaces.Sites>
  fileprivate var known: [KnownMemoryRaces.Sites: ExploredMemoryRace]

  /// There is none.
  package var isEmpty: Bool { shown == nil && failed.isEmpty && known.isEmpty }
}

/// What is found once, in an exploration, of two call sites that race in memory.
package struct ExploredMemoryRace: Sendable, Codable {
  /// Whether it fails the execution.
  package var isFailure: Bool
  /// The variable; `nil` if it has no name. It is gone when the execution has ended.
  package var variable: String?

  /// Describes it.
  package init(isFailure: Bool, variable: String? = nil) {
    self.isFailure = isFailure
    self.variable = variable
  }
}

/// The race of the last explored execution that had one.
final class ExploredRaces: Sendable {
  static let shared = ExploredRaces()

  private enum Found {
    case overlap(Overlap)
    case unordered(Overlap, UnorderedLog.Entry)
    case memory(@Sendable () -> MemoryRace)
  }

  private struct State {
    var execution: UInt = 0
    var found: Found?
    /// Pairs of places whose order cannot be decided.
    var undecided: Set<Overlap.Identity> = []
    /// What was found of pairs of call sites that raced in memory.
    var inMemory: [KnownMemoryRaces.Sites: ExploredMemoryRace] = [:]
    /// The pairs of call sites whose races failed executions.
    var failed: Set<KnownMemoryRaces.Sites> = []
  }

  private let state = Guarded(State())

  /// Notes that two sections overlap; returns `false` if the calling thread is not explored.
  func add(_ overlap: Overlap) -> Bool {
    guard let execution = ExploredSections.execution else { return false }
    note(.overlap(overlap.withExploredNames()), in: execution)
    ExploredSections.fail(overlap.headline)
    return true
  }

  /// Notes that nothing orders two sections.
  func add(_ entry: UnorderedLog.Entry, in execution: UInt) {
    let isUndecided = state.withLock { $0.undecided.contains(entry.overlap.anyInstances) }
    if isUndecided { return }
    var entry = entry
    entry.overlap = entry.overlap.withExploredNames()
    note(.unordered(entry.overlap, entry), in: execution)
    ExploredSections.fail(entry.overlap.unorderedHeadline)
  }

  /// Notes a race in memory of the calling thread, which is explored.
  func add(
    _ sites: KnownMemoryRaces.Sites, isFailure: Bool, judge: () -> ExploredMemoryRace?,
    describe: @escaping @Sendable (_ variable: String?) -> MemoryRace
  ) {
    guard let execution = ExploredSections.execution else { return }
    let known = state.withLock { $0.inMemory[sites] }
    // Not within the lock: it takes symbols.
    guard let judged = known ?? judge() else { return }
    state.withLock { $0.inMemory[sites] = judged }
    guard judged.isFailure else { return }
    note(.memory { describe(judged.variable) }, in: execution)
    guard isFailure else { return }
    state.withLock { _ = $0.failed.insert(sites) }
    // The exploration describes the race that it shows.
    ExploredSections.fail("race in memory")
  }

  /// The first race of an execution is the one that is shown.
  private func note(_ found: Found, in execution: UInt) {
    state.withLock { state in
      if state.execution == execution, state.found != nil { return }
      state.execution = execution
      state.found = found
    }
  }

  /// The race, with its stacks as functions and lines; `nil` if there was none.
  var last: ExploredRace? {
    switch state.withLock({ $0.found }) {
    case .overlap(let overlap): .overlap(overlap.conflict(count: 1))
    case .unordered(_, let entry): .unordered(entry.accesses)
    case .memory(let describe): .memory(describe())
    case nil: nil
    }
  }

  /// The call sites of races that have failed executions since the last call.
  func takeSitesInMemory() -> Set<KnownMemoryRaces.Sites> {
    state.withLock { state in
      defer { state.failed = [] }
      return state.failed
    }
  }

  /// Takes over what a child process found.
  func add(_ found: ExploredMemoryRaces) {
    state.withLock { state in
      if let race = found.shown { state.found = .memory { race } }
      state.failed.formUnion(found.failed)
      state.inMemory.merge(found.known) { $1 }
    }
  }

  /// What a child process hands over. The race that is shown is described here.
  var inMemory: ExploredMemoryRaces {
    let shown = last?.inMemory
    return state.withLock {
      ExploredMemoryRaces(shown: shown, failed: $0.failed, known: $0.inMemory)
    }
  }

  /// The variables that raced, by the call sites of their accesses.
  var variables: [UInt: String] {
    state.withLock { state in
      var variables: [UInt: String] = [:]
      for (sites, race) in state.inMemory {
        for site in sites.addresses { variables[site] = race.variable ?? variables[site] }
      }
      return variables
    }
  }

  /// From now on the pair of the last race is no failure if it does not overlap.
  func setUndecided() {
    state.withLock { state in
      if case .unordered(let overlap, _) = state.found {
        state.undecided.insert(overlap.anyInstances)
      }
      state.found = nil
    }
  }

  func removeAll() { state.withLock { $0 = State() } }
}

extension Overlap {
  /// The finding in each execution, which makes its instances anew.
  fileprivate var anyInstances: Overlap.Identity {
    var identity = identity
    identity.instance = nil
    return identity
  }

  fileprivate func withExploredNames() -> Overlap {
    var overlap = self
    overlap.first.threadName = ExploredSections.threadName(first.thread)
    overlap.second.threadName = ExploredSections.threadName(second.thread)
    return overlap
  }
}

extension SectionTracking {
  /// Whether the calling thread is explored, so that its races belong to the exploration.
  package static var isExplored: Bool { ExploredSections.execution != nil }

  /// The calling thread's number in the running execution, as schedules have it; `nil` if it is not
  /// explored.
  package static var exploredThread: Int? { ExploredSections.threadNumber }

  /// Notes a race in memory of the calling thread, which is explored. A race of one execution
  /// occurs in many.
  ///
  /// - Parameters:
  ///   - sites: The call sites.
  ///   - isFailure: Whether it fails the execution, unless the judge says otherwise.
  ///   - judge: Judges the race, once for its call sites in an exploration; returns `nil` if
  ///     another one at these sites may be judged differently.
  ///   - describe: Describes it, called if it is the race that is shown.
  package static func addExploredRace(
    at sites: KnownMemoryRaces.Sites, isFailure: Bool, judge: () -> ExploredMemoryRace?,
    describe: @escaping @Sendable (_ variable: String?) -> MemoryRace
  ) { ExploredRaces.shared.add(sites, isFailure: isFailure, judge: judge, describe: describe) }

  /// The call sites of races in memory that have failed executions since the last call.
  package static func takeSitesOfExploredRaces() -> Set<KnownMemoryRaces.Sites> {
    ExploredRaces.shared.takeSitesInMemory()
  }

  /// The variables that raced in explored executions, by the call sites of their accesses.
  package static var exploredVariables: [UInt: String] { ExploredRaces.shared.variables }

  /// The race of the last explored execution that had one. This call symbolicates the stacks.
  package static var exploredRace: ExploredRace? { ExploredRaces.shared.last }

  /// The races in memory, for the process that a child explores for, and back.
  package static var exploredMemoryRaces: ExploredMemoryRaces { ExploredRaces.shared.inMemory }

  /// Adds the races in memory that a child process has found.
  package static func add(_ races: ExploredMemoryRaces) { ExploredRaces.shared.add(races) }

  /// Treats the last race, whose order cannot be decided, as none in the executions that follow.
  package static func setExploredRaceUndecided() { ExploredRaces.shared.setUndecided() }

  /// Forgets the races, for another body.
  package static func forgetExploredRaces() { ExploredRaces.shared.removeAll() }

  /// Whether the order of sections is checked: see `followOrder`.
  package static var followsOrder: Bool {
    get { Settings.shared.followsOrder }
    set { Settings.shared.followsOrder = newValue }
  }
}
