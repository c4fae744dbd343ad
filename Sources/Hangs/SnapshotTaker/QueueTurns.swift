import CInterlockAnalysis

/// The order in which blocks were enqueued on the queues of each root, for one snapshot.
///
/// Each root's turns are read once: reading them for each of a thousand queues would read the
/// targets of all the others each time.
/// of all others.
final class QueueTurns {
  private var sorted: [UInt: [UInt64]] = [:]

  /// The number of blocks that were enqueued before a turn.
  func count(before turn: UInt64, onRoot root: UInt) -> Int {
    let turns = sorted[root] ?? Self.turns(onRoot: root)
    sorted[root] = turns
    var low = 0
    var high = turns.count
    while low < high {
      let middle = (low + high) / 2
      if turns[middle] < turn { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func turns(onRoot root: UInt) -> [UInt64] {
    // Leave room for blocks that arrive meanwhile.
    let room = interlock_waits_turns(root, nil, 0) + 64
    return [UInt64](unsafeUninitializedCapacity: room) {
      $1 = min(interlock_waits_turns(root, $0.baseAddress, room), room)
    }.sorted()
  }
}
