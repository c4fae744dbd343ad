internal import Synchronization

/// What a slot of the table holds: a record's address, its mode, and a part of its resource's key.
///
/// Bits 63–48: the key's fragment. Bits 47–6: the address, which is a multiple of 64. Bit 0: writes.
/// Zero is an empty slot. Addresses of user space have 47 bits on the platforms that Swift runs on.
struct SlotWord: Equatable {
  var bits: UInt

  @inline(__always)
  init(bits: UInt) { self.bits = bits }

  @inline(__always)
  init(record: Record, key: ResourceKey, writes: Bool) {
    bits = key.fragment << 48 | UInt(bitPattern: record.words) | (writes ? 1 : 0)
  }

  @inline(__always)
  var fragment: UInt { bits >> 48 }

  @inline(__always)
  var writes: Bool { bits & 1 != 0 }

  @inline(__always)
  var record: Record? {
    UnsafeMutablePointer<Atomic<UInt>>(bitPattern: bits & 0x0000_FFFF_FFFF_FFC0).map(Record.init)
  }
}
