package import Interlock

/// The findings of the memory check in a trial.
package struct MemoryRecord: Sendable, Hashable, Codable {
  /// The races, one for each pair of places.
  package var races: [MemoryRace] = []
  /// Undecided races: unchecked code may order them, and they do not affect the verdict.
  package var undecided: [MemoryRace] = []
  /// Why the check stopped; `nil` if it did not.
  package var lostBecause: String?

  /// Creates an empty record.
  package init() {}

  mutating func add(_ race: MemoryRace) {
    if race.isDecided { races.append(race) } else { undecided.append(race) }
  }
}
