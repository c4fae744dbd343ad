/// What takes part in a comparison: a strategy over a table, or a cache.
package struct Contestant: Sendable {
  /// The name in reports.
  package var name: String
  /// One line: how it works.
  package var summary: String
  /// Makes fresh work of a cell.
  package var makeWork: @Sendable (Cell, BurnRate) -> Work
  /// The heap that one lock takes once it has been used, bytes; `nil` where that is not known.
  package var bytesPerLock: Int?

  /// Describes what takes part.
  package init(
    name: String, summary: String, bytesPerLock: Int? = nil,
    makeWork: @escaping @Sendable (Cell, BurnRate) -> Work
  ) {
    self.name = name
    self.summary = summary
    self.bytesPerLock = bytesPerLock
    self.makeWork = makeWork
  }

  /// A strategy over a table of its own for each round.
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

/// What one of many used locks takes of the heap, to the byte nearest.
func measuredBytes(of make: @Sendable () -> any Sendable) -> Int? {
  // Some have a queue each, and who follows queues has room for thousands.
  let count = 400
  // Once before: what the first of a kind takes for all is not its own.
  _ = make()
  var kept: [any Sendable] = []
  kept.reserveCapacity(count)
  guard let before = heapBytes() else { return nil }
  for _ in 0..<count { kept.append(make()) }
  guard let after = heapBytes() else { return nil }
  return withExtendedLifetime(kept) { Int((Double(after - before) / Double(count)).rounded()) }
}
