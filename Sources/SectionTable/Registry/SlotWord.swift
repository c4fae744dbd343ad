/// The contents of a slot: a record's address, the mode, and a fragment of the resource's key.
///
/// Bits 63–48: the fragment of the key. Bits 47–6: the address, a multiple of 64. Bit 0: set if the
/// section writes. Bit 1: set if the section is on a part; bits 5–2 are then part of its hash. Bit
/// 2, without bit 1: set if the section has a witness. Zero is an empty slot. User-space addresses
/// have 47 bits on the platforms that Swift runs on.
package struct SlotWord: Equatable {
  package var bits: UInt

  /// Creates the word of an extended record: on a part with this hash, or with a witness.
  package init(record: Record, key: ResourceKey, writes: Bool, partHash: UInt64?) {
    self.init(record: record, key: key, writes: writes)
    bits |= partHash.map { 2 | UInt($0 >> 60) << 2 } ?? 4
  }

  /// True for a section on the whole that has a witness.
  @inline(__always)
  package var isWitnessed: Bool { bits & 6 == 4 }

  /// Some bits of the part's hash. Sections with different bits are on different parts.
  @inline(__always)
  package var partBits: UInt { bits >> 2 & 15 }
}
