/// The memory races that a test or the process has had.
package struct KnownMemoryRaces: Sendable {
  /// The addresses of the two accesses' call sites, in either order; 0 if unknown.
  package struct Sites: Sendable, Hashable, Codable {
    private let low: UInt
    private let high: UInt

    /// Both addresses.
    package var addresses: [UInt] { [low, high] }

    /// Creates a pair of call sites.
    package init(_ one: UInt, _ other: UInt) {
      low = min(one, other)
      high = max(one, other)
    }
  }

  private var sites: Set<Sites> = []
  private var places: Set<Set<String>> = []

  /// True if the pair of call sites is known. Needs no symbols.
  package func contains(_ pair: Sites) -> Bool { sites.contains(pair) }

  /// Adds a pair of call sites.
  package mutating func insert(_ pair: Sites) { sites.insert(pair) }

  /// True if the places of a race are known. A race with only one known place adds nothing to
  /// another race with that place.
  package func contains(_ race: MemoryRace) -> Bool {
    if let place = race.onlyPlace, places.contains(where: { $0.contains(place) }) { return true }
    return places.contains(race.places)
  }

  /// Adds the places of a race.
  package mutating func insert(_ race: MemoryRace) { places.insert(race.places) }
}
