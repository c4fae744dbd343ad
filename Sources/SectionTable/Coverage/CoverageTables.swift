internal import Synchronization

/// The memory of the contention coverage: 1.2 MiB of address space, allocated once and never freed.
/// Only used pages are resident. It does not grow with resources, owners or begins.
///
/// Numbered places, recent accesses and pairs use the types of the near-miss delays, in separate
/// tables. All words are atomics, relaxed unless stated otherwise: one of two concurrent writes may
/// be lost, and the next access repeats it.
package struct CoverageTables: @unchecked Sendable {
  // Unchecked: the pointers are set once, to atomics in memory that is never freed.
  typealias Words = DelayTables.Words

  /// The most names that can be distinguished.
  package static let mostResources = 1023
  /// The most owners of a name that are counted.
  package static let mostOwners = 15
  private static let resourceWords = 1 + CoverageTables.mostOwners
  private static let placeWords = 4
  private static let instanceSets = 4096
  private static let setWords = 4
  /// The words of a set of objects: its entries, and the mark of each.
  private static let objectSetWords = 2 * setWords
  static let objectLocks = 64

  package let near: DelayTables
  private let resources: Words
  private let places: Words
  private let instances: Words
  /// The objects among the instances, and the locks of their sets.
  private let objects: Words
  let locks: Words

  /// Allocates the memory; `nil` without memory.
  package init?() {
    let sizes = [
      (Self.mostResources + 1) * Self.resourceWords,
      DelayTables.placeNumbers * Self.placeWords, Self.instanceSets * Self.setWords,
      Self.instanceSets * Self.objectSetWords, Self.objectLocks,
    ]
    guard let near = DelayTables(),
      let memory = Platform.zeroedMemory(bytes: sizes.reduce(0, +) * MemoryLayout<UInt>.stride)
    else { return nil }
    self.near = near
    // An `Atomic<UInt>` has the representation of a `UInt`, and zero is valid.
    resources = memory.assumingMemoryBound(to: Atomic<UInt>.self)
    places = resources + sizes[0]
    instances = places + sizes[1]
    objects = instances + sizes[2]
    locks = objects + sizes[3]
  }

  /// The state of a name: two flags, and the owners seen.
  package struct ResourceWords {
    package static let shared: UInt = 1
    package static let unknown: UInt = 2

    let words: Words

    package var flags: UInt { words.pointee.load(ordering: .relaxed) }

    package func set(_ flag: UInt) {
      if flags & flag == 0 { words.pointee.bitwiseOr(flag, ordering: .relaxed) }
    }

    /// Adds an owner if there is room for it.
    @inline(__always)
    package func note(_ owner: UInt) {
      let start = Int(truncatingIfNeeded: DelayTables.mixed(UInt64(owner)))
      for step in 0..<CoverageTables.mostOwners {
        let slot = 1 + ((start &+ step) & Int.max) % CoverageTables.mostOwners
        let known = words[slot].load(ordering: .relaxed)
        if known == owner { return }
        if known == 0,
          words[slot].compareExchange(expected: 0, desired: owner, ordering: .relaxed).exchanged
        {
          return
        }
      }
    }

    package var owners: Int {
      (1...CoverageTables.mostOwners).count { words[$0].load(ordering: .relaxed) != 0 }
    }
  }

  @inline(__always)
  package func words(ofResource number: UInt) -> ResourceWords {
    ResourceWords(words: resources + Int(number) * Self.resourceWords)
  }

  /// Assigns a place to its resource; call it before the place's number is published.
  package func tie(_ place: PlaceNumber, toResource number: UInt) {
    places[Int(place.bits) * Self.placeWords].store(number, ordering: .relaxed)
  }

  @inline(__always)
  package func resource(of place: PlaceNumber) -> UInt {
    places[Int(place.bits) * Self.placeWords].load(ordering: .relaxed)
  }

  /// True if the last access at this place was by the same owner, to this part of this instance, in
  /// this millisecond. Such an access is recorded already, and a later owner has recorded the near
  /// miss. If two accesses have the same 64-bit hash, the second is not recorded.
  @inline(__always)
  package func isSame(
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

  /// Records an owner at a place: the first owner, or the fact that there are several.
  @inline(__always)
  package func note(_ owner: UInt, at place: PlaceNumber) {
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

  /// True if only one owner has been at a place.
  package func isOfOneOwner(_ place: PlaceNumber) -> Bool {
    places[Int(place.bits) * Self.placeWords + 1].load(ordering: .relaxed) != .max
  }

  /// Records an owner of an instance; marks the name as shared if another owner came before.
  ///
  /// A word has 26 bits of the key, the name's number, and 26 bits of the owner. If two owners have
  /// the same bits, once in 67 million, the second is not seen. If an instance is evicted for lack
  /// of room, its name is undecided.
  @inline(__always)
  package func note(_ owner: UInt, on key: ResourceKey, ofResource number: UInt) {
    let entry = Self.entry(owner, key, number)
    let set = instances + Self.setIndex(key) * Self.setWords
    for index in 0..<Self.setWords {
      let known = set[index].load(ordering: .relaxed)
      if known >> 26 == entry >> 26 {
        if known != entry { words(ofResource: number).set(ResourceWords.shared) }
        return
      }
      if known == 0,
        set[index].compareExchange(expected: 0, desired: entry, ordering: .relaxed).exchanged
      {
        return
      }
    }
    let before = set[Self.victim(key)].exchange(entry, ordering: .relaxed)
    words(ofResource: before >> 26 & 0x3FF).set(ResourceWords.unknown)
  }

  /// As the other function, for an instance that is an object, which the caller keeps alive.
  ///
  /// The key depends on the object's address, which an earlier object may have had: an entry has a
  /// mark. Returns the number of the mark.
  @inline(never)
  func note(
    _ owner: UInt, on key: ResourceKey, of object: UInt, ofResource number: UInt
  ) -> UInt64 {
    let entry = Self.entry(owner, key, number)
    let set = objects + Self.setIndex(key) * Self.objectSetWords
    let marks = set + Self.setWords
    let lock = locks + Self.setIndex(key) % Self.objectLocks
    // Acquire what the last holder wrote, and release it to the next.
    while lock.pointee.exchange(1, ordering: .acquiring) != 0 { Platform.yield() }
    defer { lock.pointee.store(0, ordering: .releasing) }
    var place = Self.victim(key)
    for index in 0..<Self.setWords {
      let known = set[index].load(ordering: .relaxed)
      let isOfKey = known >> 26 == entry >> 26
      if isOfKey, let mark = ObjectMark.number(in: marks + index, of: object) {
        if known != entry { words(ofResource: number).set(ResourceWords.shared) }
        return mark
      }
      if isOfKey || known == 0 {
        place = index
        break
      }
    }
    let before = set[place].exchange(entry, ordering: .relaxed)
    if before != 0, before >> 26 != entry >> 26 {
      words(ofResource: before >> 26 & 0x3FF).set(ResourceWords.unknown)
    }
    return ObjectMark.replace(in: marks + place, by: object)
  }

  @inline(__always)
  private static func entry(_ owner: UInt, _ key: ResourceKey, _ number: UInt) -> UInt {
    UInt(key.hash >> 38) << 38 | number << 26
      | UInt(truncatingIfNeeded: DelayTables.mixed(UInt64(owner)) >> 38)
  }

  @inline(__always)
  private static func setIndex(_ key: ResourceKey) -> Int {
    Int(key.hash >> 16 & UInt64(instanceSets - 1))
  }

  /// The entry of a full set that a further key replaces.
  private static func victim(_ key: ResourceKey) -> Int {
    Int(truncatingIfNeeded: DelayTables.mixed(key.hash) >> 62)
  }

  /// Releases the locks of threads that exist only in the parent. Called in the child of a fork,
  /// which has one thread.
  func forked() {
    for index in 0..<Self.objectLocks { locks[index].store(0, ordering: .relaxed) }
  }
}
