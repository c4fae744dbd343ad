/// What a thread has noted in the table of recent accesses in this millisecond: whoever came to the resource since has seen
/// it there, and has armed the pair. So the thread has nothing to note, nor to look for, if it comes by again.
///
/// Used by its own thread alone.
struct RecentVisits {
  /// An owner at a place on a resource in a millisecond. As it is, not as a hash: to compare is quicker than to mix.
  struct Visit {
    fileprivate let file: UInt
    /// The line and the mode, and the time in milliseconds above them: it comes round after 24 days.
    fileprivate let lineAndTime: UInt
    fileprivate let key: UInt
    fileprivate let owner: UInt

    @inline(__always)
    init(file: UInt, lineAndFlags: UInt, on key: UInt, of owner: UInt, at milliseconds: UInt) {
      self.file = file
      lineAndTime =
        lineAndFlags & (0xFFFF_FFFF | Record.writesFlag) | milliseconds << 33
      self.key = key
      self.owner = owner
    }
  }

  private static let count: UInt = 8
  private static let wordCount = 5

  /// For each the words of a visit, and the number of its place; all 0 for none, as no visit is.
  private let words: UnsafeMutablePointer<UInt>

  /// Takes its memory, which is never given back.
  init() {
    words = .allocate(capacity: Int(Self.count) * Self.wordCount)
    words.initialize(repeating: 0, count: Int(Self.count) * Self.wordCount)
  }

  /// The place of a visit that has been noted; `nil` for another.
  @inline(__always)
  func place(of visit: Visit) -> PlaceNumber? {
    let slot = slot(of: visit)
    // Without a branch for each: they agree nearly always.
    let differences =
      slot[0] ^ visit.file | slot[1] ^ visit.lineAndTime | slot[2] ^ visit.key
      | slot[3] ^ visit.owner
    return differences == 0 ? PlaceNumber(bits: slot[4]) : nil
  }

  /// Keeps a visit; another in the same slot is noted anew when it comes again.
  @inline(__always)
  func note(_ visit: Visit, at place: PlaceNumber) {
    let slot = slot(of: visit)
    slot[0] = visit.file
    slot[1] = visit.lineAndTime
    slot[2] = visit.key
    slot[3] = visit.owner
    slot[4] = place.bits
  }

  /// By line, mode and resource: what a thread does in turn is mostly told apart by these.
  @inline(__always)
  private func slot(of visit: Visit) -> UnsafeMutablePointer<UInt> {
    let line = visit.lineAndTime
    return words + Int((line ^ line >> 32 & 1 ^ visit.key) & (Self.count - 1)) * Self.wordCount
  }
}
