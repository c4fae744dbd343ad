/// What a thread has noted in the table of recent accesses in this millisecond: whoever came to the resource since has seen
/// it there, and has armed the pair. So the thread has nothing to note, nor to look for, if it comes by again.
///
/// Used by its own thread alone.
struct RecentVisits {
  /// An owner at a place on a resource in a millisecond, as a hash whose lowest bits are left out: of two that agree in the
  /// others, one in 2^52, the second is not noted.
  struct Visit {
    fileprivate let bits: UInt

    @inline(__always)
    init(_ mark: DelayTables.Mark, on key: UInt, of owner: UInt, at milliseconds: UInt) {
      let hash =
        mark.bits ^ (key &* 0x9E37_79B9_7F4A_7C15)
        ^ ((owner << 20 ^ milliseconds) &* 0xBF58_476D_1CE4_E5B9)
      bits = (hash ^ hash >> 32) & ~RecentVisits.placeBits
    }
  }

  private static let placeBits: UInt = 0xFFF
  private static let count = 8

  /// A visit in the upper bits, and the number of its place in the lowest 12; 0 for none.
  private let words: UnsafeMutablePointer<UInt>

  /// Takes its memory, which is never given back.
  init() {
    words = .allocate(capacity: Self.count)
    words.initialize(repeating: 0, count: Self.count)
  }

  /// The place of a visit that has been noted; `nil` for another.
  @inline(__always)
  func place(of visit: Visit) -> PlaceNumber? {
    let word = slot(of: visit).pointee
    guard word & ~Self.placeBits == visit.bits, word != 0 else { return nil }
    return PlaceNumber(bits: word & Self.placeBits)
  }

  /// Keeps a visit; another in the same slot is noted anew when it comes again.
  @inline(__always)
  func note(_ visit: Visit, at place: PlaceNumber) {
    slot(of: visit).pointee = visit.bits | place.bits
  }

  @inline(__always)
  private func slot(of visit: Visit) -> UnsafeMutablePointer<UInt> { words + Int(visit.bits >> 61) }
}
