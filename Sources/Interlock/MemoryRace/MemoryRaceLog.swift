internal import SectionTable

/// The races in memory of this process. The product that checks memory adds to it; reports and
/// tests read it.
package enum MemoryRaceLog {
  /// A race that was found, and why it does not fail the process.
  package struct Entry: Sendable {
    /// The race.
    package var race: MemoryRace
    /// Why it is known already; `nil` for a new one.
    package var knownBecause: String?
    /// Whether a test has it as an issue.
    package var isIssue: Bool

    /// Whether the exit code shows it.
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

  /// The races found so far, each pair of places once.
  package static var entries: [Entry] { state.withLock { $0.entries } }

  /// Whether the memory of this process is checked.
  package static var isFed: Bool {
    get { state.withLock { $0.isFed } }
    set { state.withLock { $0.isFed = newValue } }
  }

  /// Whether an exploration found a race, which is in its report and not here.
  package static var hasExplored: Bool {
    get { state.withLock { $0.hasExplored } }
    set { state.withLock { $0.hasExplored = newValue } }
  }

  /// Adds a race; returns whether its pair of places is new. Of a pair that is not, an entry that
  /// fails the process replaces the one that does not, and a decided one replaces one that is not.
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
