internal import Synchronization

/// A cache line of the table: the open sections of the resources whose keys fall into it.
///
/// To begin is to publish one's own slot and then to look at the others; both are sequentially
/// consistent. Of two owners that begin at once, the later of the two publications in that single
/// order is followed by a look that must find the earlier: no overlap is missed by both (Dekker's
/// argument).
///
/// Whether a section on a part conflicts is told by its record, not by the slot alone. So whoever
/// begins one counts itself into the line before it looks (`look`), and a section on a part that
/// ends waits until nobody looks before it lets its record go: a record that was seen in its slot
/// during a look is whole until the look is over.
///
/// Six slots lie in the line itself. When they are taken, further blocks of slots hang on it; their
/// number is bounded by the most sections that were ever open at once, and they are kept.
struct Bucket {
  typealias Slot = UnsafeMutablePointer<Atomic<UInt>>

  private static let oneLook: UInt = 1 << 32
  private static let overflowBlock = 7
  private static let blockSlots = 7

  let words: Slot

  /// Runs `body`, which visits slots, so that records of parts that it finds there stay as they
  /// are; `body` must call nothing of the user's, who may end a section on a part in it.
  func look<R>(_ body: () -> R) -> R {
    // Sequentially consistent, as the looks in `body` and the fence in `waitForLooks` are: of a
    // look that found a slot taken, whoever empties it after that knows.
    words[Self.overflowCount].wrappingAdd(Self.oneLook, ordering: .sequentiallyConsistent)
    // Releases what was read to whoever waits for the look.
    defer { words[Self.overflowCount].wrappingSubtract(Self.oneLook, ordering: .releasing) }
    return body()
  }

  /// Waits until every look is over that may have found what the caller has just withdrawn.
  func waitForLooks() {
    // Sequentially consistent: the slot was emptied before the count is read. See `look`.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    // Acquires the reads of those who looked.
    while words[Self.overflowCount].load(ordering: .acquiring) >= Self.oneLook { Platform.yield() }
  }

  /// Visits every occupied slot until `visit` says to stop.
  @inline(__always)
  func forEachOccupied(_ visit: (SlotWord, Slot) -> Bool) {
    for index in 0..<Self.inlineSlots {
      let bits = words[index].load(ordering: .sequentiallyConsistent)
      if bits != 0, !visit(SlotWord(bits: bits), words + index) { return }
    }
    // Sequentially consistent: whoever is in overflow has counted itself before it looked.
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
    // Acquires the block's zeroes, which `append` stored before it hung the block on.
    Slot(bitPattern: link.pointee.load(ordering: .acquiring))
  }

  private static func append(to link: Slot) -> Slot {
    let fresh = zeroedWords(blockSlots + 1)
    let result = link.pointee.compareExchange(
      expected: 0, desired: UInt(bitPattern: fresh), ordering: .acquiringAndReleasing)
    if result.exchanged { return fresh }
    fresh.deallocate()
    // Another thread was first; the exchange has just seen its block.
    return Slot(bitPattern: result.original) ?? append(to: link)
  }
}

/// Atomics at zero, on cache lines of their own, two at a time since they are fetched in pairs.
func zeroedWords(_ count: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
  let size = (count * MemoryLayout<UInt>.stride + 127) & ~127
  let raw = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 128)
  raw.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  // An `Atomic<UInt>` is a `UInt` in memory, and zero is one.
  return raw.assumingMemoryBound(to: Atomic<UInt>.self)
}
