import Interlock

extension WaitSnapshot {
  /// The snapshot with its addresses named in the process that made it. Takes up to a second: debug
  /// information is read.
  package func namedHere() -> WaitSnapshot {
    let frames = symbolicateWaits(addresses.sorted())
    return named(Dictionary(grouping: frames, by: \.address))
  }
}
