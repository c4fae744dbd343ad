/// A participant of a comparison: a strategy over a table, or a cache.
package struct Contestant: Sendable {
  /// The name in reports.
  package var name: String
  /// One line: how it works.
  package var summary: String
  /// Makes new work for a cell.
  package var makeWork: @Sendable (Cell, BurnRate) -> Work
  /// The heap memory of one used lock, bytes; `nil` if it is not known.
  package var bytesPerLock: Int?

  /// Describes a participant.
  package init(
    name: String, summary: String, bytesPerLock: Int? = nil,
    makeWork: @escaping @Sendable (Cell, BurnRate) -> Work
  ) {
    self.name = name
    self.summary = summary
    self.bytesPerLock = bytesPerLock
    self.makeWork = makeWork
  }

  /// A strategy over a new table for each round.
  package init(_ entry: StrategyEntry) {
    self.init(
      name: entry.name, summary: entry.summary,
      bytesPerLock: entry.makeUsed.flatMap(measuredBytes(of:))
    ) { cell, rate in
      entry.makeWork(
        SharedTable(keys: cell.keys, burns: rate.rounds(nanoseconds: cell.sectionNanoseconds)))
    }
  }
}

/// The heap memory of one used lock, averaged over many and rounded to bytes.
func measuredBytes(of make: @Sendable () -> any Sendable) -> Int? {
  // Some locks have a queue each, and the wait table has room for thousands of queues.
  let count = 400
  // Make one first: its memory may include allocations that all of its kind share.
  _ = make()
  var kept: [any Sendable] = []
  kept.reserveCapacity(count)
  guard let before = heapBytes() else { return nil }
  for _ in 0..<count { kept.append(make()) }
  guard let after = heapBytes() else { return nil }
  return withExtendedLifetime(kept) { Int((Double(after - before) / Double(count)).rounded()) }
}
