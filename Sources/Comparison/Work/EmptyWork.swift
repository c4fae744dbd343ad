/// Work that does nothing, which measures the harness's own cost.
final class EmptyWork: SynchronousWork {
  func perform(_ calls: CallRing, _ range: Range<Int>) -> Tally {
    var tally = Tally()
    // As in `LockedTable`, but without a branch: choosing between read and write belongs to the
    // workload.
    var index = range.lowerBound
    while index < range.upperBound {
      tally.writes &+= calls[index].isWrite ? 1 : 0
      index &+= 1
    }
    return tally
  }

  func lost(of writes: Int) -> Int { 0 }
}
