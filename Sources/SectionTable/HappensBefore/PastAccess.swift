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

  /// 0: the count of its epoch. 1: the slot of that, plus 1; 0 if there is no access.
  package let words: UnsafeMutablePointer<Atomic<UInt>>

  /// Whether an access is stored.
  @inline(__always)
  var isThere: Bool { words[1].load(ordering: .relaxed) != 0 }

  @inline(__always)
  var epoch: OrderSource.Epoch {
    OrderSource.Epoch(
      slot: UInt32(truncatingIfNeeded: words[1].load(ordering: .relaxed) &- 1),
      count: UInt64(words[0].load(ordering: .relaxed)))
  }

  /// The copied record; the lock protects it.
  @inline(__always)
  package var record: Record { Record(words: words + Self.recordAt) }

  @inline(__always)
  func clear() { words[1].store(0, ordering: .relaxed) }

  /// Stores a section of the calling thread's that is ending.
  @inline(__always)
  func set(_ ended: Record, at epoch: OrderSource.Epoch, _ source: OrderSource) {
    words[0].store(UInt(epoch.count), ordering: .relaxed)
    words[1].store(UInt(epoch.slot) + 1, ordering: .relaxed)
    // Copied as plain memory: the record is the thread's own, and the copy is only touched under
    // the lock. Constant lengths need no call; words after a shorter stack belong to another
    // section, and are not read.
    let copy = UnsafeMutableRawPointer(words + Self.recordAt)
    let stack = Record.stack * MemoryLayout<UInt>.stride
    let half = stack / 2
    copy.copyMemory(from: ended.words, byteCount: stack)
    let frames = UnsafeRawPointer(ended.words) + stack
    (copy + stack).copyMemory(from: frames, byteCount: half)
    if ended[.frameCount] & 0xFF > UInt(Record.frameLimit / 2) {
      (copy + stack + half).copyMemory(from: frames + half, byteCount: half)
    }
    // Four words each, as in C.
    let held = UnsafeMutableRawPointer(words + Self.heldAt + 1)
      .assumingMemoryBound(to: interlock_held_at.self)
    let count = source.held(held, capacity: Self.heldLimit)
    words[Self.heldAt].store(UInt(count), ordering: .relaxed)
  }

  /// The words of the locks: how many, then four for each.
  package var held: UnsafeMutablePointer<Atomic<UInt>> { words + Self.heldAt }
}
