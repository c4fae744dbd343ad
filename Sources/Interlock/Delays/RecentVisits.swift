/// What a thread noted in the table of recent accesses when it last asked for the time: whoever came to the resource since has
/// seen it there, and has armed the pair. So the thread has nothing to note, nor to look for, if it comes by again within the
/// same tick of the coarse clock.
///
/// Even that clock costs as much as all the rest of it. So a visit that keeps coming within one tick is taken to come a few times
/// more without asking: where it stays away instead, as many of its begins pass for older than they are, and note nothing.
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
      words[7] &+= 1
      if words[7] >= RecentVisits.busy { words[6] = RecentVisits.passes }
      return (now, true)
    }
  }

  /// So many times a visit must have come again within a tick, for as many next ones not to ask for the time.
  static let busy: UInt = 8
  static let passes: UInt = 3
  private static let count: UInt = 8
  private static let wordCount = 8

  /// For each, in a cache line: the four words of a visit, the number of its place, when it was noted, how many next times
  /// do not ask, and how many within that tick did. All 0 for none, as no visit is.
  private let words: UnsafeMutablePointer<UInt>

  /// Takes its memory, which is never given back.
  init() {
    let wordTotal = Int(Self.count) * Self.wordCount
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: wordTotal * MemoryLayout<UInt>.stride, alignment: 64)
    words = memory.initializeMemory(as: UInt.self, repeating: 0, count: wordTotal)
  }

  /// What is known of a visit; `nil` for one whose slot is another's.
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
    slot[7] = 0
  }

  /// By line, mode and resource: what a thread does in turn is mostly told apart by these.
  @inline(__always)
  private func slot(of visit: Visit) -> UnsafeMutablePointer<UInt> {
    let line = visit.lineAndMode
    return words + Int((line ^ line >> 32 & 1 ^ visit.key) & (Self.count - 1)) * Self.wordCount
  }
}
