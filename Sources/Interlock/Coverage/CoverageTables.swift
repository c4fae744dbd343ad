internal import Synchronization

/// The memory of what is exercised: 900 KiB of the address space, taken once and never given back,
/// of which only what is used is resident. It does not grow with resources, owners or begins.
///
/// Places by number, recent accesses and pairs are those of the near-miss delays, in tables of
/// their own. All words are atomics, relaxed unless said otherwise: what two threads write at once
/// may be lost and is noted the next time.
struct CoverageTables: @unchecked Sendable {
  // Unchecked: pointers that are set once, to atomics in memory that is never given back.
  typealias Words = DelayTables.Words

  /// Names that are told apart.
  static let mostResources = 1023
  private static let resourceWords = 1 + ExerciseReport.mostOwners
  private static let placeWords = 4
  private static let instanceSets = 4096
  private static let setWords = 4

  let near: DelayTables
  private let resources: Words
  private let places: Words
  private let instances: Words

  /// Takes the memory; `nil` where there is none to be had.
  init?() {
    let sizes = [
      (Self.mostResources + 1) * Self.resourceWords,
      DelayTables.placeNumbers * Self.placeWords, Self.instanceSets * Self.setWords,
    ]
    guard let near = DelayTables(),
      let memory = Platform.zeroedMemory(bytes: sizes.reduce(0, +) * MemoryLayout<UInt>.stride)
    else { return nil }
    self.near = near
    // An `Atomic<UInt>` is a `UInt` in memory, and zero is one.
    resources = memory.assumingMemoryBound(to: Atomic<UInt>.self)
    places = resources + sizes[0]
    instances = places + sizes[1]
  }

  /// What is known of a name: two flags, and the owners that were seen.
  struct ResourceWords {
    static let shared: UInt = 1
    static let unknown: UInt = 2

    let words: Words

    var flags: UInt { words.pointee.load(ordering: .relaxed) }

    func set(_ flag: UInt) {
      if flags & flag == 0 { words.pointee.bitwiseOr(flag, ordering: .relaxed) }
    }

    /// Notes an owner, while there is room for one more.
    @inline(__always)
    func note(_ owner: UInt) {
      let start = Int(truncatingIfNeeded: DelayTables.mixed(UInt64(owner)))
      for step in 0..<ExerciseReport.mostOwners {
        let slot = 1 + ((start &+ step) & Int.max) % ExerciseReport.mostOwners
        let known = words[slot].load(ordering: .relaxed)
        if known == owner { return }
        if known == 0,
          words[slot].compareExchange(expected: 0, desired: owner, ordering: .relaxed).exchanged
        {
          return
        }
      }
    }

    var owners: Int {
      (1...ExerciseReport.mostOwners).count { words[$0].load(ordering: .relaxed) != 0 }
    }
  }

  @inline(__always)
  func words(ofResource number: UInt) -> ResourceWords {
    ResourceWords(words: resources + Int(number) * Self.resourceWords)
  }

  /// Ties a place to its resource; to be called before its number is known to anybody else.
  func tie(_ place: PlaceNumber, toResource number: UInt) {
    places[Int(place.bits) * Self.placeWords].store(number, ordering: .relaxed)
  }

  @inline(__always)
  func resource(of place: PlaceNumber) -> UInt {
    places[Int(place.bits) * Self.placeWords].load(ordering: .relaxed)
  }

  /// Whether it was this owner on this part of this instance that came to the place last, in this
  /// same millisecond: then all is noted, and whoever else came since has noted that the two nearly
  /// met. Of two that agree in a hash of 64 bits, the second is not noted.
  @inline(__always)
  func isSame(
    _ owner: UInt, _ key: ResourceKey, part: UInt, at place: PlaceNumber, _ milliseconds: UInt
  ) -> Bool {
    let last = places + Int(place.bits) * Self.placeWords + 2
    let access =
      (owner ^ part) &* 0x9E37_79B9_7F4A_7C15 ^ UInt(key.hash) &+ milliseconds
      &* 0xBF58_476D_1CE4_E5B9
    if last.pointee.load(ordering: .relaxed) == access { return true }
    last.pointee.store(access, ordering: .relaxed)
    return false
  }

  /// Notes who came to a place: the first owner, or that there was another one.
  @inline(__always)
  func note(_ owner: UInt, at place: PlaceNumber) {
    let first = places + Int(place.bits) * Self.placeWords + 1
    let known = first.pointee.load(ordering: .relaxed)
    if known == owner || known == .max { return }
    if known == 0,
      first.pointee.compareExchange(expected: 0, desired: owner, ordering: .relaxed).exchanged
    {
      return
    }
    first.pointee.store(.max, ordering: .relaxed)
  }

  /// Whether a place was visited by one owner alone.
  func isOfOneOwner(_ place: PlaceNumber) -> Bool {
    places[Int(place.bits) * Self.placeWords + 1].load(ordering: .relaxed) != .max
  }

  /// Notes who touched an instance; says of its name that it is shared where somebody else did
  /// before.
  ///
  /// A word has 26 bits of the key, the name's number, and 26 bits of the owner: of two owners that
  /// agree in them, once in 67 million, the second is not seen. Where there are more instances than
  /// room, the one that gives way leaves its name undecided.
  @inline(__always)
  func note(_ owner: UInt, on key: ResourceKey, ofResource number: UInt) {
    let tag = UInt(key.hash >> 38) << 38 | number << 26
    let ownerBits = UInt(truncatingIfNeeded: DelayTables.mixed(UInt64(owner)) >> 38)
    let set = instances + Int(key.hash >> 16 & UInt64(Self.instanceSets - 1)) * Self.setWords
    for index in 0..<Self.setWords {
      let known = set[index].load(ordering: .relaxed)
      if known >> 26 == tag >> 26 {
        if known != tag | ownerBits { words(ofResource: number).set(ResourceWords.shared) }
        return
      }
      if known == 0,
        set[index].compareExchange(expected: 0, desired: tag | ownerBits, ordering: .relaxed)
          .exchanged
      {
        return
      }
    }
    let victim = set + Int(truncatingIfNeeded: DelayTables.mixed(key.hash) >> 62)
    let before = victim.pointee.exchange(tag | ownerBits, ordering: .relaxed)
    words(ofResource: before >> 26 & 0x3FF).set(ResourceWords.unknown)
  }
}
