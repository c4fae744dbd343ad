/// What the harness does for a call where there is nothing to do: its own cost.
final class EmptyWork: SynchronousWork {
  func perform(_ calls: CallRing, _ range: Range<Int>) -> Tally {
    var tally = Tally()
    for index in range where calls[index].isWrite { tally.writes &+= 1 }
    return tally
  }

  func lost(of writes: Int) -> Int { 0 }
}
