/// The races in memory that a test, or the process, has had.
package struct KnownMemoryRaces: Sendable {
  /// The addresses of the two accesses' call sites, in either order; 0 for one that is not known.
  package struct Sites: Sendable, Hashable, Codable {
    private let low: UInt
    private let high: UInt

    /// Both.
    package var addresses: [UInt] { [low, high] }

    /// Names the call sites.
    package init(_ one: UInt, _ other: UInt) {
      low = min(one, other)
      high = max(one, other)
    }
  }

  private var sites: Set<Sites> = []
  private var places: Set<Set<String>> = []

  /// Whether it has a pair of call sites, which takes no symbols to know.
  package func contains(_ pair: Sites) -> Bool { sites.contains(pair) }

  /// Adds a pair of call sites.
  package mutating func insert(_ pair: Sites) { sites.insert(pair) }

  /// Whether it has the places of a race. A race of which only one place is known adds nothing to
  /// another one with that place.
  package func contains(_ race: MemoryRace) -> Bool {
    if let place = race.onlyPlace, places.contains(where: { $0.contains(place) }) { return true }
    return places.contains(race.places)
  }

  /// Adds the places of a race.
  package mutating func insert(_ race: MemoryRace) { places.insert(race.places) }
}
