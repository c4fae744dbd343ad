import Interlock

extension WaitSnapshot {
  /// The snapshot with symbols, in the process that it shows. Reading debug information takes up to
  /// a second.
  package func namedHere() -> WaitSnapshot {
    let frames = symbolicateWaits(addresses.sorted())
    return named(Dictionary(grouping: frames, by: \.address))
  }
}
