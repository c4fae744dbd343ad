/// What the harness does for a call where there is nothing to do: its own cost.
final class EmptyWork: SynchronousWork {
  func perform(_ calls: CallRing, _ range: Range<Int>) -> Tally {
    var tally = Tally()
    // As `LockedTable` has it, but without a branch: to choose between reading and writing is the
    // workload's own.
    var index = range.lowerBound
    while index < range.upperBound {
      tally.writes &+= calls[index].isWrite ? 1 : 0
      index &+= 1
    }
    return tally
  }

  func lost(of writes: Int) -> Int { 0 }
}
