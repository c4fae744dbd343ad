/// The key of a resource in the table: a 64-bit hash of its name and instance.
///
/// Two different names with equal hashes, once in 2^64, count as one resource. The cost is a wrong
/// name in a report.
package struct ResourceKey: Equatable {
  package var hash: UInt64

  /// Hashes a name, eight bytes per step, by multiply and fold as in the wyhash family.
  @inline(__always)
  package init(name: UnsafeRawBufferPointer, instance: UInt = 0) {
    var state = 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: name.count)
    var offset = 0
    while offset + 8 <= name.count {
      state = Self.fold(state ^ name.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < name.count {
      rest = rest << 8 | UInt64(name[offset])
      offset += 1
    }
    state = Self.fold(state ^ rest)
    if instance != 0 { state = Self.fold(state ^ UInt64(instance)) }
    hash = Self.fold(state)
  }

  /// The key of an instance's own resource, by the resource's number.
  @inline(__always)
  package init(number: UInt64) {
    hash = Self.fold(Self.fold(number ^ 0xD6E8_FEB8_6659_FD93))
  }

  /// The unlisted resource. Conflicts on it are only counted. No `Section` has its number.
  package static var unlisted: ResourceKey {
    @inline(__always) get { ResourceKey(number: 0) }
  }

  @inline(__always)
  private static func fold(_ value: UInt64) -> UInt64 {
    let (high, low) = value.multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    return high ^ low ^ value
  }
}
