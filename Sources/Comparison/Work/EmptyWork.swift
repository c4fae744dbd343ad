/// What the harness does for a call where there is nothing to do: its own cost.
final class EmptyWork: SynchronousWork {
  func perform(_ calls: CallRing, _ range: Range<Int>) -> Tally {
    var tally = Tally()
    // Without a branch: to choose between reading and writing is the workload's own.
    for index in range { tally.writes &+= calls[index].isWrite ? 1 : 0 }
    return tally
  }

  func lost(of writes: Int) -> Int { 0 }
}
