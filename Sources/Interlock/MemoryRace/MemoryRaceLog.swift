internal import SectionTable

/// The memory races of this process. The product that checks memory adds races; reports and tests
/// read them.
package enum MemoryRaceLog {
  /// A race that was found, and the reasons why it may not fail the process.
  package struct Entry: Sendable {
    /// The race.
    package var race: MemoryRace
    /// The reason why it is known already; `nil` for a new race.
    package var knownBecause: String?
    /// True if a test has recorded the race as an issue.
    package var isIssue: Bool

    /// True if the exit code shows the race.
    package var isUnhandled: Bool { knownBecause == nil && !isIssue && race.isDecided }

    /// Describes an entry.
    package init(_ race: MemoryRace, knownBecause: String? = nil, isIssue: Bool = false) {
      self.race = race
      self.knownBecause = knownBecause
      self.isIssue = isIssue
    }
  }

  private struct State {
    var entries: [Entry] = []
    var isFed = false
    var hasExplored = false
  }

  private static let state = Guarded(State())

  /// The races found so far, one for each pair of places.
  package static var entries: [Entry] { state.withLock { $0.entries } }

  /// True if the memory of this process is checked.
  package static var isFed: Bool {
    get { state.withLock { $0.isFed } }
    set { state.withLock { $0.isFed = newValue } }
  }

  /// True if an exploration found a race. Such a race is in the exploration's report, not here.
  package static var hasExplored: Bool {
    get { state.withLock { $0.hasExplored } }
    set { state.withLock { $0.hasExplored = newValue } }
  }

  /// Adds a race; returns true if its pair of places is new. For a known pair, an entry that fails
  /// the process replaces the stored one, and so does a decided entry if the stored one is
  /// undecided.
  @discardableResult
  package static func add(_ entry: Entry) -> Bool {
    state.withLock { state in
      let places = entry.race.places
      guard let index = state.entries.firstIndex(where: { $0.race.places == places }) else {
        state.entries.append(entry)
        return true
      }
      let isDecided = entry.race.isDecided && !state.entries[index].race.isDecided
      if entry.isUnhandled || isDecided { state.entries[index] = entry }
      return false
    }
  }
}
