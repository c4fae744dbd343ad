import CInterlockAnalysis

// The order in which a pool's threads take the blocks of queues that were held back.

extension SnapshotTaker {
  /// The most items read from a root queue's list.
  private static let mostItems = 4096
  /// The most stretches of blocks of one queue.
  private static let mostStretches = 16

  /// Corrects the positions of blocks on queues that were suspended or blocked meanwhile.
  ///
  /// Such a queue passes on its blocks while others arrive, so blocks do not begin in the order of
  /// the calls. libdispatch's list of the root queue has the real order. The list is used only if
  /// it has exactly the blocks of the wait table.
  static func placeHeldBack(in queues: inout [UInt: WaitSnapshot.Queue]) {
    for root in queues.values where root.isRoot {
      let members = queues.values.filter { $0.target == root.id && $0.queued > 0 }
      guard members.contains(where: { !$0.keepsOrder && !$0.isSuspended }),
        let positions = positions(onRoot: root, among: queues)
      else { continue }
      for member in members + [root] {
        place(&queues[member.id], at: positions[member.id] ?? [])
      }
    }
  }

  /// The positions in a root queue's list of each queue's blocks, or of a serial queue itself;
  /// `nil` if the list differs from the wait table.
  private static func positions(
    onRoot root: WaitSnapshot.Queue, among queues: [UInt: WaitSnapshot.Queue]
  ) -> [UInt: [Int]]? {
    let items = [interlock_root_item](unsafeUninitializedCapacity: mostItems) {
      $1 = interlock_waits_root_list(root.id, $0.baseAddress, mostItems)
    }
    var positions: [UInt: [Int]] = [:]
    for (position, item) in items.enumerated() {
      if let queue = queues[item.address], queue.target == root.id {
        positions[queue.id, default: []].append(position)
      } else if let queue = queues[item.data], queue.target == root.id, queue.width > 1 {
        positions[queue.id, default: []].append(position)
      } else if item.is_plain {
        positions[root.id, default: []].append(position)
      } else {
        return nil
      }
    }
    let holds = queues.values.allSatisfy { queue in
      guard queue.id == root.id || queue.target == root.id else { return true }
      let expected = queue.width == 1 ? min(queue.queued, 1) : queue.queued
      return positions[queue.id, default: []].count == expected
    }
    return holds ? positions : nil
  }

  /// Sets the positions of a queue's blocks.
  private static func place(_ queue: inout WaitSnapshot.Queue?, at positions: [Int]) {
    guard let blocks = queue?.blocks, let first = positions.first else { return }
    var placed: [WaitSnapshot.QueuedBlocks] = []
    var done = 0
    for stretch in blocks {
      let end = done + stretch.count
      while done < end {
        // A serial queue has one position. Its other blocks begin one after another.
        let from = done < positions.count ? positions[done] : first + done
        var count = 1
        while done + count < end,
          done + count >= positions.count || positions[done + count] == from + count
        {
          count += 1
        }
        var part = stretch
        part.count = count
        part.ahead = from
        placed.append(part)
        done += count
      }
    }
    guard placed.count <= mostStretches else { return }
    queue?.blocks = placed
    queue?.keepsOrder = true
  }
}
