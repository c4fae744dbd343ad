internal import Synchronization

/// The memory of the near-miss delays: 420 KiB of the address space, taken once and never given
/// back, of which only what is used is resident.
///
/// It does not grow with resources, owners or begins: what finds no room replaces what is oldest,
/// or is not followed. All words are atomics. They are relaxed unless said otherwise: what is lost
/// or read late here costs a delay more or less, never a false report, since a conflict is told by
/// the registry alone.
struct DelayTables: @unchecked Sendable {
  // Unchecked: pointers that are set once, to atomics in memory that is never given back.
  typealias Words = UnsafeMutablePointer<Atomic<UInt>>

  /// Sets of recent accesses; a resource's key chooses one.
  static let accessSets = 4096
  /// Accesses in a set: half a cache line.
  static let setWords = 4
  /// Slots for places by the addresses of their literals, two words each.
  static let markSlots = 8192
  /// Places that are told apart, once for each mode; a number has 12 bits.
  static let placeNumbers = 4096
  static let placeWords = 4
  static let pairSlots = 4096

  let accesses: Words
  let marks: Words
  let places: Words
  /// The last word is not 0 where no more pairs are followed.
  let pairs: Words

  /// Takes the memory; `nil` where there is none to be had.
  init?() {
    let sizes = [
      Self.accessSets * Self.setWords, Self.markSlots * 2, Self.placeNumbers * Self.placeWords,
      Self.pairSlots + 1,
    ]
    guard let memory = Platform.zeroedMemory(bytes: sizes.reduce(0, +) * MemoryLayout<UInt>.stride)
    else { return nil }
    // An `Atomic<UInt>` is a `UInt` in memory, and zero is one.
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
