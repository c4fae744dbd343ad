package import Synchronization

/// The memory of the near-miss delays: 420 KiB of address space, allocated once and never freed.
/// Only used pages are resident.
///
/// The memory does not grow with resources, owners or begins: a new entry replaces the oldest, or
/// is not followed. All words are atomics, relaxed unless stated otherwise. A lost or late write
/// costs one delay more or less, never a false report, since only the registry detects conflicts.
package struct DelayTables: @unchecked Sendable {
  // Unchecked: the pointers are set once, to atomics in memory that is never freed.
  package typealias Words = UnsafeMutablePointer<Atomic<UInt>>

  /// The number of sets of recent accesses; a resource's key selects one.
  static let accessSets = 4096
  /// The number of accesses in a set: half a cache line.
  static let setWords = 4
  /// The number of slots for places, by the addresses of their literals. A slot has two words.
  static let markSlots = 8192
  /// The most places that can be distinguished, counted once for each mode; a number has 12 bits.
  package static let placeNumbers = 4096
  static let placeWords = 4
  static let pairSlots = 4096

  let accesses: Words
  let marks: Words
  let places: Words
  /// The slots of pairs. The last word is not 0 if no more pairs are followed.
  let pairs: Words

  /// Allocates the memory; `nil` without memory.
  package init?() {
    let sizes = [
      Self.accessSets * Self.setWords, Self.markSlots * 2, Self.placeNumbers * Self.placeWords,
      Self.pairSlots + 1,
    ]
    guard let memory = Platform.zeroedMemory(bytes: sizes.reduce(0, +) * MemoryLayout<UInt>.stride)
    else { return nil }
    // An `Atomic<UInt>` has the representation of a `UInt`, and zero is valid.
    accesses = memory.assumingMemoryBound(to: Atomic<UInt>.self)
    marks = accesses + sizes[0]
    places = marks + sizes[1]
    pairs = places + sizes[2]
  }

  /// Mixes the bits of a word (the finalizer of SplitMix64).
  @inline(__always)
  static func mixed(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}
