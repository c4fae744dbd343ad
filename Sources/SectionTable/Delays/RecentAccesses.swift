internal import Synchronization

/// An access in the table of recent accesses. It is one word, so that readers never see half of it.
///
/// Bits 63–48: a fragment of the resource's key. 47: on a part. 46–28: a hash of the owner. 27–16:
/// the place. 15–0: the time in milliseconds, which wraps after 65 seconds: an old access may then
/// look recent, and arm a pair without need.
package struct RecentAccess {
  /// Two accesses within this many milliseconds are close: TSVD's window.
  package static let window: UInt = 100

  private static let partFlag: UInt = 1 << 47

  package var bits: UInt

  @inline(__always)
  package init(bits: UInt) { self.bits = bits }

  @inline(__always)
  package init(
    key: ResourceKey, owner: UInt, place: PlaceNumber, milliseconds: UInt, isOnPart: Bool = false
  ) {
    let ownerHash = (owner &* 0x9E37_79B9_7F4A_7C15) >> 45
    bits =
      key.fragment << 48 | (isOnPart ? Self.partFlag : 0) | ownerHash << 28 | place.bits << 16
      | milliseconds & 0xFFFF
  }

  @inline(__always)
  package var place: PlaceNumber { PlaceNumber(bits: bits >> 16 & 0xFFF) }

  @inline(__always)
  package func age(at milliseconds: UInt) -> UInt { (milliseconds &- bits) & 0xFFFF }

  @inline(__always)
  package func isSame(as other: RecentAccess) -> Bool { (bits ^ other.bits) >> 16 == 0 }

  @inline(__always)
  func isOnResource(of other: RecentAccess) -> Bool { (bits ^ other.bits) >> 48 == 0 }

  @inline(__always)
  func isOfOwner(of other: RecentAccess) -> Bool { (bits ^ other.bits) >> 28 & 0x7_FFFF == 0 }

  /// True if both accesses are on parts of the resource. Equal parts are compared under a key of
  /// their own.
  @inline(__always)
  func isOnPart(as other: RecentAccess) -> Bool { bits & other.bits & Self.partFlag != 0 }
}

extension DelayTables {
  /// Enters a section that begins, and calls `nearMiss` with the place of every recent section that
  /// it nearly overlapped.
  ///
  /// A section on a part is entered twice: under its resource, where sections on the whole find it,
  /// and under a key of the part, where sections on an equal part find it.
  @inline(__always)
  package func note(
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

  /// Enters an access, and calls `nearMiss` with the place of every recent access that it nearly
  /// overlapped: by another owner, to the same resource, with a write on one side.
  ///
  /// If two threads enter accesses at once, one may be lost. Its near miss is found the next time.
  @inline(__always)
  package func note(
    _ access: RecentAccess, to key: ResourceKey, at milliseconds: UInt,
    nearMiss: (PlaceNumber) -> Void
  ) {
    // Use other bits than the fragment and the bucket use.
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
    // Store only changes: once per millisecond and owner, not at each begin.
    if set[index].load(ordering: .relaxed) != access.bits {
      set[index].store(access.bits, ordering: .relaxed)
    }
  }
}
