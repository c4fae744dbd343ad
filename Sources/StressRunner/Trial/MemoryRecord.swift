package import Interlock

/// What the check of memory found in a trial.
package struct MemoryRecord: Sendable, Hashable, Codable {
  /// The races, each pair of places once.
  package var races: [MemoryRace] = []
  /// Those that code which is not checked may order, and which decide nothing.
  package var undecided: [MemoryRace] = []
  /// Why nothing was checked from some event on; `nil` if everything was.
  package var lostBecause: String?

  /// Nothing was found.
  package init() {}

  mutating func add(_ race: MemoryRace) {
    if race.isDecided { races.append(race) } else { undecided.append(race) }
  }
}
