/// What a slot of the table holds: a record's address, its mode, and a part of its resource's key.
///
/// Bits 63–48: the key's fragment. Bits 47–6: the address, which is a multiple of 64. Bit 0:
/// writes. Bit 1: the section is on a part, of whose hash bits 5–2 hold some. Bit 2, without bit 1:
/// the section has a witness. Zero is an empty slot. Addresses of user space have 47 bits on the
/// platforms that Swift runs on.
struct SlotWord: Equatable {
  var bits: UInt

  /// The same for an extended record: on a part by this hash, or with a witness.
  init(record: Record, key: ResourceKey, writes: Bool, partHash: UInt64?) {
    self.init(record: record, key: key, writes: writes)
    bits |= partHash.map { 2 | UInt($0 >> 60) << 2 } ?? 4
  }

  /// Whether it is a section on the whole that has a witness.
  @inline(__always)
  var isWitnessed: Bool { bits & 6 == 4 }

  /// Some bits of the part's hash: two sections on parts that differ in them are on different
  /// parts.
  @inline(__always)
  var partBits: UInt { bits >> 2 & 15 }
}
