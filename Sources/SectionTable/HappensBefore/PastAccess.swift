internal import CMarks
package import Synchronization

/// A past section in its resource's shadow state: its epoch, a copy of its record, and the locks
/// that its owner held.
///
/// Words of a shadow state, under its lock.
package struct PastAccess {
  /// The most locks that are stored.
  package static let heldLimit = 4
  static let wordCount = 2 + Record.wordCount + 1 + heldLimit * 4

  static let recordAt = 2
  private static let heldAt = recordAt + Record.wordCount

  /// Word 0: the count of the access's epoch. Word 1: the epoch's slot plus 1; 0 if there is no
  /// access.
  package let words: UnsafeMutablePointer<Atomic<UInt>>

  /// True if an access is stored.
  @inline(__always)
  var isThere: Bool { words[1].load(ordering: .relaxed) != 0 }

  @inline(__always)
  var epoch: OrderSource.Epoch {
    OrderSource.Epoch(
      slot: UInt32(truncatingIfNeeded: words[1].load(ordering: .relaxed) &- 1),
      count: UInt64(words[0].load(ordering: .relaxed)))
  }

  /// The copied record, protected by the lock of the shadow state.
  @inline(__always)
  package var record: Record { Record(words: words + Self.recordAt) }

  @inline(__always)
  func clear() { words[1].store(0, ordering: .relaxed) }

  /// Stores a section of the calling thread that is ending.
  @inline(__always)
  func set(_ ended: Record, at epoch: OrderSource.Epoch, _ source: OrderSource) {
    words[0].store(UInt(epoch.count), ordering: .relaxed)
    words[1].store(UInt(epoch.slot) + 1, ordering: .relaxed)
    // Copy plain memory: the record belongs to the thread, and the copy is accessed only under the
    // lock. Constant lengths need no call. Words behind a shorter stack belong to another section,
    // and are not read.
    let copy = UnsafeMutableRawPointer(words + Self.recordAt)
    let stack = Record.stack * MemoryLayout<UInt>.stride
    let half = stack / 2
    copy.copyMemory(from: ended.words, byteCount: stack)
    let frames = UnsafeRawPointer(ended.words) + stack
    (copy + stack).copyMemory(from: frames, byteCount: half)
    if ended[.frameCount] & 0xFF > UInt(Record.frameLimit / 2) {
      (copy + stack + half).copyMemory(from: frames + half, byteCount: half)
    }
    // Each lock has four words, as in the C structure.
    let held = UnsafeMutableRawPointer(words + Self.heldAt + 1)
      .assumingMemoryBound(to: interlock_held_at.self)
    let count = source.held(held, capacity: Self.heldLimit)
    words[Self.heldAt].store(UInt(count), ordering: .relaxed)
  }

  /// The words of the locks: their number, then four words for each.
  package var held: UnsafeMutablePointer<Atomic<UInt>> { words + Self.heldAt }
}
