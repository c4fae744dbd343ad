internal import Synchronization

/// One access in the table of recent ones, in a word, so that it is whole for whoever reads it.
///
/// Bits 63–48: a piece of the resource's key. 47: on a part. 46–28: a hash of the owner. 27–16: the
/// place. 15–0: the time in milliseconds, which comes round after 65 seconds: an old access may
/// then pass for a recent one, and arms a pair for nothing.
struct RecentAccess {
  /// Two accesses are close in time within so many milliseconds: TSVD's window.
  static let window: UInt = 100

  private static let partFlag: UInt = 1 << 47

  var bits: UInt

  @inline(__always)
  init(bits: UInt) { self.bits = bits }

  @inline(__always)
  init(
    key: ResourceKey, owner: UInt, place: PlaceNumber, milliseconds: UInt, isOnPart: Bool = false
  ) {
    let ownerHash = (owner &* 0x9E37_79B9_7F4A_7C15) >> 45
    bits =
      key.fragment << 48 | (isOnPart ? Self.partFlag : 0) | ownerHash << 28 | place.bits << 16
      | milliseconds & 0xFFFF
  }

  @inline(__always)
  var place: PlaceNumber { PlaceNumber(bits: bits >> 16 & 0xFFF) }

  @inline(__always)
  func age(at milliseconds: UInt) -> UInt { (milliseconds &- bits) & 0xFFFF }

  @inline(__always)
  func isSame(as other: RecentAccess) -> Bool { (bits ^ other.bits) >> 16 == 0 }

  @inline(__always)
  func isOnResource(of other: RecentAccess) -> Bool { (bits ^ other.bits) >> 48 == 0 }

  @inline(__always)
  func isOfOwner(of other: RecentAccess) -> Bool { (bits ^ other.bits) >> 28 & 0x7_FFFF == 0 }

  /// Whether both are on parts of the resource; equal ones meet under a key of their own.
  @inline(__always)
  func isOnPart(as other: RecentAccess) -> Bool { bits & other.bits & Self.partFlag != 0 }
}

extension DelayTables {
  /// Notes a section that begins, and calls `nearMiss` with the place of every recent one that it
  /// nearly met.
  ///
  /// One on a part is noted twice: under its resource, where those on the whole find it, and under
  /// a key of the part's own, where those on an equal part do.
  @inline(__always)
  func note(
    _ open: Registry.OpenSection, of owner: UInt, at place: PlaceNumber, at milliseconds: UInt,
    nearMiss: (PlaceNumber) -> Void
  ) {
    let key = open.key
    let isOnPart = open.word.hasPart
    note(
      RecentAccess(
        key: key, owner: owner, place: place, milliseconds: milliseconds, isOnPart: isOnPart),
      to: key, at: milliseconds, nearMiss: nearMiss)
    guard isOnPart else { return }
    let own = ResourceKey(
      hash: Self.mixed(key.hash ^ Self.mixed(UInt64(open.record[.partHash]))))
    note(
      RecentAccess(key: own, owner: owner, place: place, milliseconds: milliseconds),
      to: own, at: milliseconds, nearMiss: nearMiss)
  }

  /// Notes an access, and calls `nearMiss` with the place of every recent one that it nearly met:
  /// another owner's, to the same resource, one of the two to write.
  ///
  /// Two threads that note at once may lose an access of one of them: a near miss is seen the next
  /// time.
  @inline(__always)
  func note(
    _ access: RecentAccess, to key: ResourceKey, at milliseconds: UInt,
    nearMiss: (PlaceNumber) -> Void
  ) {
    // By other bits than the fragment and the bucket.
    let set = accesses + Int(key.hash >> 20 & UInt64(Self.accessSets - 1)) * Self.setWords
    var mine = -1
    var oldest = 0
    var oldestAge: UInt = 0
    for index in 0..<Self.setWords {
      let known = RecentAccess(bits: set[index].load(ordering: .relaxed))
      let age = known.bits == 0 ? 1 << 16 : known.age(at: milliseconds)
      if age >= oldestAge { (oldest, oldestAge) = (index, age) }
      guard known.bits != 0, known.isOnResource(of: access) else { continue }
      if known.isSame(as: access) {
        mine = index
      } else if !known.isOfOwner(of: access), !known.isOnPart(as: access),
        known.place.writes || access.place.writes,
        age <= RecentAccess.window
      {
        nearMiss(known.place)
      }
    }
    let index = mine >= 0 ? mine : oldest
    // Stored only where it says something new: once a millisecond and owner, not once a begin.
    if set[index].load(ordering: .relaxed) != access.bits {
      set[index].store(access.bits, ordering: .relaxed)
    }
  }
}
