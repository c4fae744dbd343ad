internal import CMarks
internal import Synchronization

/// The shadow states of the resources, by their keys, in bounded memory: 4,096 states of about two
/// kilobytes each.
///
/// If two resources have the same place in the table, the later one takes it. Accesses of the
/// earlier one are then lost, and not reported.
package enum ShadowStates {
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

  /// True if shadow states of parts may exist. Relaxed: one that another thread is creating may be
  /// missed.
  @inline(__always)
  static var haveParts: Bool { partsFlag.pointee.load(ordering: .relaxed) != 0 }

  /// Makes `haveParts` true from now on.
  static func rememberParts() {
    if !haveParts { partsFlag.pointee.store(1, ordering: .relaxed) }
  }

  /// The shadow state of a resource; `nil` if it has none.
  @inline(__always)
  static func find(_ key: UInt) -> ShadowState? {
    var slot = Int(key >> 24) & (count - 1)
    for _ in 0..<probes {
      // Acquire the zeroes of the shadow state.
      guard let shadow = ShadowState(at: table[slot].load(ordering: .acquiring)) else { return nil }
      if shadow.key == key { return shadow }
      slot = (slot + 1) & (count - 1)
    }
    return nil
  }

  /// Forgets all accesses: later ones are not compared with them.
  package static func forgetAll() {
    for index in 0..<count {
      // Acquire the contents of the shadow state, as in `find`.
      guard let shadow = ShadowState(at: table[index].load(ordering: .acquiring)) else { continue }
      if shadow.key != 0 { shadow.withLock { shadow.become(0) } }
    }
  }

  /// Releases the locks of threads that exist only in the parent, and forgets what they had half
  /// written. Called in the child of a fork, which has one thread.
  static func forked() {
    for index in 0..<count {
      // Relaxed: the child has one thread.
      guard let shadow = ShadowState(at: table[index].load(ordering: .relaxed)) else { continue }
      shadow.forked()
    }
  }

  /// The shadow state of a resource, created if there is none. Another resource may take it at any
  /// time: check its key under its lock.
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
      // Another thread was first. Its shadow state may be for the same resource.
      if let other = ShadowState(at: result.original), other.key == key { return other }
    }
    // All places are taken: replace one, selected by other bits of the key than the first place.
    let place = table + ((first + Int(key >> 8) % probes) & (count - 1))
    let taken = ShadowState(at: place.pointee.load(ordering: .acquiring)) ?? ShadowState()
    taken.withLock { if taken.key != key { taken.become(key) } }
    return taken
  }
}
