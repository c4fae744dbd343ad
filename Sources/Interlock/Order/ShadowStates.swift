internal import CInterlock
internal import Synchronization

/// The shadow states of the resources, by their keys, in memory that is bounded: 4,096 of some two
/// kilobytes each.
///
/// Where two resources fall on one place, the later takes it: what the earlier did is forgotten,
/// and not told.
enum ShadowStates {
  private static let count = Int(INTERLOCK_HISTORIES)
  private static let probes = 4
  private static var table: UnsafeMutablePointer<Atomic<UInt>> {
    @inline(__always)
    get { interlock_get_histories().assumingMemoryBound(to: Atomic<UInt>.self) }
  }

  private static var partsFlag: UnsafeMutablePointer<Atomic<UInt>> {
    @inline(__always)
    get { interlock_get_remembers_parts().assumingMemoryBound(to: Atomic<UInt>.self) }
  }

  /// Whether there may be shadow states of parts. Relaxed: one that another thread makes at this
  /// moment may be missed.
  @inline(__always)
  static var haveParts: Bool { partsFlag.pointee.load(ordering: .relaxed) != 0 }

  /// Says so from now on.
  static func rememberParts() {
    if !haveParts { partsFlag.pointee.store(1, ordering: .relaxed) }
  }

  /// The shadow of a resource, if it has one.
  @inline(__always)
  static func find(_ key: UInt) -> ShadowState? {
    var slot = Int(key >> 24) & (count - 1)
    for _ in 0..<probes {
      // Acquires the shadow's zeroes.
      guard let shadow = ShadowState(at: table[slot].load(ordering: .acquiring)) else { return nil }
      if shadow.key == key { return shadow }
      slot = (slot + 1) & (count - 1)
    }
    return nil
  }

  /// The same, made where there is none. Another resource may take it at any moment: its key is
  /// looked at under its lock.
  static func make(_ key: UInt) -> ShadowState {
    let first = Int(key >> 24) & (count - 1)
    for probe in 0..<probes {
      let place = table + ((first + probe) & (count - 1))
      if let shadow = ShadowState(at: place.pointee.load(ordering: .acquiring)) {
        if shadow.key == key { return shadow }
        continue
      }
      let fresh = ShadowState()
      fresh.become(key)
      let result = place.pointee.compareExchange(
        expected: 0, desired: fresh.address, ordering: .acquiringAndReleasing)
      if result.exchanged { return fresh }
      fresh.words.deallocate()
      // Another thread was first, and its shadow may be of this resource.
      if let other = ShadowState(at: result.original), other.key == key { return other }
    }
    // All are taken: one is taken over, by a bit of the key that did not choose the place.
    let place = table + ((first + Int(key >> 8) % probes) & (count - 1))
    let taken = ShadowState(at: place.pointee.load(ordering: .acquiring)) ?? ShadowState()
    taken.withLock { if taken.key != key { taken.become(key) } }
    return taken
  }
}
