import Interlock
package import WaitForGraph

extension WaitSnapshot {
  /// The snapshot with its addresses named in the process that made it. Takes up to a second: debug
  /// information is read.
  package func namedHere() -> WaitSnapshot {
    var names = Dictionary(
      grouping: Interlock.symbolicate(addresses.sorted()), by: \.address)
    // A task continues in a function of its own, whose first instruction may have no line, as in a
    // loop over a throwing group.
    let continued = Set(awaits.flatMap(\.place).map(\.address)).sorted()
      .filter { names[$0]?.first.map { ($0.line ?? 0) == 0 } ?? false }
    for address in continued.prefix(Self.mostSearched) {
      if let frame = symbolicateAccess(address) { names[address]?[0] = frame }
    }
    return named(names)
  }

  /// The most addresses for which the code around is searched for a line: each takes tens of
  /// milliseconds.
  private static let mostSearched = 16
}
