package import Interlock

/// What the check of memory found in a trial.
package struct MemoryRecord: Sendable, Hashable, Codable {
  /// The races, each pair of places once.
  package var races: [MemoryRace] = []
  /// Why nothing was checked from some event on; `nil` if everything was.
  package var lostBecause: String?

  /// Nothing was found.
  package init() {}
}
