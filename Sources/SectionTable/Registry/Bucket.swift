package import Synchronization

/// A cache line of the table: the open sections of the resources whose keys map to it.
///
/// A begin publishes its own slot and then reads the others; both are sequentially consistent. If
/// two owners begin at once, the later publication in that total order is followed by a read that
/// must find the earlier one. So at least one of the two sees the overlap (Dekker's argument).
///
/// Whether a section on a part conflicts depends on its record, not only on the slot. A begin on a
/// part therefore counts itself into the line before it reads (`look`), and the end of a section on
/// a part frees its record only when no look is in progress: a record found in its slot during a
/// look stays valid until the look ends.
///
/// The line itself has six slots. When they are taken, further blocks of slots are linked to it.
/// Blocks are kept; their number is bounded by the most sections ever open at once.
package struct Bucket {
  package typealias Slot = UnsafeMutablePointer<Atomic<UInt>>

  private static let oneLook: UInt = 1 << 32
  private static let overflowBlock = 7
  private static let blockSlots = 7

  package let words: Slot

  /// Runs `body`, which visits slots, while the records of parts found there stay valid. `body`
  /// must not call the user's code, which may end a section on a part.
  package func look<R>(_ body: () -> R) -> R {
    // Sequentially consistent, like the reads in `body` and the fence in `waitForLooks`: a thread
    // that empties a slot after a look has found it taken sees the look.
    words[Self.overflowCount].wrappingAdd(Self.oneLook, ordering: .sequentiallyConsistent)
    // Release the reads to a thread that waits for the look to end.
    defer { words[Self.overflowCount].wrappingSubtract(Self.oneLook, ordering: .releasing) }
    return body()
  }

  /// Waits until every look has ended that may have found the section just removed by the caller.
  func waitForLooks() {
    // Sequentially consistent: the slot is emptied before the count is read. See `look`.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    // Acquire the reads of the looks.
    while words[Self.overflowCount].load(ordering: .acquiring) >= Self.oneLook { Platform.yield() }
  }

  /// Visits every occupied slot until `visit` returns false.
  @inline(__always)
  package func forEachOccupied(_ visit: (SlotWord, Slot) -> Bool) {
    for index in 0..<Self.inlineSlots {
      let bits = words[index].load(ordering: .sequentiallyConsistent)
      if bits != 0, !visit(SlotWord(bits: bits), words + index) { return }
    }
    // Sequentially consistent: a section in overflow was counted before its owner looked.
    if words[Self.overflowCount].load(ordering: .sequentiallyConsistent) != 0 {
      forEachInOverflow(visit)
    }
  }

  @inline(never)
  func publishInOverflow(_ word: SlotWord) -> Slot {
    words[Self.overflowCount].wrappingAdd(1, ordering: .sequentiallyConsistent)
    var link = words + Self.overflowBlock
    while true {
      let block = Self.block(behind: link) ?? Self.append(to: link)
      for index in 0..<Self.blockSlots where Self.take(block + index, word) {
        return block + index
      }
      link = block + Self.blockSlots
    }
  }

  @inline(never)
  private func forEachInOverflow(_ visit: (SlotWord, Slot) -> Bool) {
    var link = words + Self.overflowBlock
    while let block = Self.block(behind: link) {
      for index in 0..<Self.blockSlots {
        let bits = block[index].load(ordering: .sequentiallyConsistent)
        if bits != 0, !visit(SlotWord(bits: bits), block + index) { return }
      }
      link = block + Self.blockSlots
    }
  }

  private static func block(behind link: Slot) -> Slot? {
    // Acquire the zeroes of the block, stored before `append` linked it.
    Slot(bitPattern: link.pointee.load(ordering: .acquiring))
  }

  private static func append(to link: Slot) -> Slot {
    let fresh = zeroedWords(blockSlots + 1)
    let result = link.pointee.compareExchange(
      expected: 0, desired: UInt(bitPattern: fresh), ordering: .acquiringAndReleasing)
    if result.exchanged { return fresh }
    fresh.deallocate()
    // Another thread was first. The exchange has returned its block.
    return Slot(bitPattern: result.original) ?? append(to: link)
  }
}

/// Zeroed atomics that share no cache lines, in pairs since lines are fetched in pairs.
func zeroedWords(_ count: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
  let size = (count * MemoryLayout<UInt>.stride + 127) & ~127
  let raw = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 128)
  raw.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  // An `Atomic<UInt>` has the representation of a `UInt`, and zero is valid.
  return raw.assumingMemoryBound(to: Atomic<UInt>.self)
}
