/// What a thread has noted in the table of recent accesses in this millisecond: whoever came to the resource since has seen
/// it there, and has armed the pair. So the thread has nothing to note, nor to look for, if it comes by again.
///
/// Even the coarse clock costs as much as all the rest of it. So a visit that comes again within a millisecond is taken to do so
/// a few times more without asking: if it stays away instead, as many of its begins pass for older than they are.
///
/// Used by its own thread alone.
struct RecentVisits {
  /// An owner at a place on a resource. As it is, not as a hash: to compare is quicker than to mix.
  struct Visit {
    fileprivate let file: UInt
    fileprivate let lineAndMode: UInt
    fileprivate let key: UInt
    fileprivate let owner: UInt

    @inline(__always)
    init(file: UInt, lineAndFlags: UInt, on key: UInt, of owner: UInt) {
      self.file = file
      lineAndMode = lineAndFlags & (0xFFFF_FFFF | Record.writesFlag)
      self.key = key
      self.owner = owner
    }
  }

  /// What is known of a visit, in the words of its slot.
  struct Known {
    fileprivate let words: UnsafeMutablePointer<UInt>

    @inline(__always)
    var place: PlaceNumber { PlaceNumber(bits: words[4]) }

    /// The time, in milliseconds, and whether the visit has been noted in it; `clock` is asked where it has to be.
    @inline(__always)
    func time(_ clock: () -> UInt) -> (now: UInt, isNoted: Bool) {
      let noted = words[5]
      if words[6] != 0 {
        words[6] &-= 1
        return (noted, true)
      }
      let now = clock()
      guard now == noted else { return (now, false) }
      words[6] = RecentVisits.passes
      return (now, true)
    }
  }

  /// So often a visit that has come again within a millisecond does not ask for the time.
  static let passes: UInt = 3
  private static let count: UInt = 8
  private static let wordCount = 7

  /// For each the four words of a visit, the number of its place, when it was noted, and how often it does not ask when that
  /// was; all 0 for none, as no visit is.
  private let words: UnsafeMutablePointer<UInt>

  /// Takes its memory, which is never given back.
  init() {
    words = .allocate(capacity: Int(Self.count) * Self.wordCount)
    words.initialize(repeating: 0, count: Int(Self.count) * Self.wordCount)
  }

  /// What is known of a visit; `nil` for one that has not been noted lately.
  @inline(__always)
  func known(_ visit: Visit) -> Known? {
    let slot = slot(of: visit)
    // Without a branch for each: they agree nearly always.
    let differences =
      slot[0] ^ visit.file | slot[1] ^ visit.lineAndMode | slot[2] ^ visit.key
      | slot[3] ^ visit.owner
    return differences == 0 ? Known(words: slot) : nil
  }

  /// Keeps a visit; another in the same slot is noted anew when it comes again.
  func note(_ visit: Visit, at place: PlaceNumber, at milliseconds: UInt) {
    let slot = slot(of: visit)
    slot[0] = visit.file
    slot[1] = visit.lineAndMode
    slot[2] = visit.key
    slot[3] = visit.owner
    slot[4] = place.bits
    slot[5] = milliseconds
    slot[6] = 0
  }

  /// By line, mode and resource: what a thread does in turn is mostly told apart by these.
  @inline(__always)
  private func slot(of visit: Visit) -> UnsafeMutablePointer<UInt> {
    let line = visit.lineAndMode
    return words + Int((line ^ line >> 32 & 1 ^ visit.key) & (Self.count - 1)) * Self.wordCount
  }
}
