internal import Synchronization

/// Whether, and for how long, a section just begun at an armed place is held open.
struct DelayDecision: Equatable {
  /// The range of lengths, in microseconds: those of scheduler time slices, and longer than the
  /// gaps between the calls of a busy thread.
  static let lengths: ClosedRange<UInt> = 2000...6000
  /// The chance, of 2³², at a place without fruitless delays: 9 of 10, and not 10, so that two
  /// threads do not stay in lockstep.
  private static let firstChance: UInt64 = 0xE666_6666

  /// Microseconds.
  var length: UInt

  /// Decides from the seed, the place and its execution count alone.
  ///
  /// Every fruitless delay halves the chance. A place with n executions is thus delayed about log₂
  /// n times: often at the beginning, and rarely, but again and again, in a long run.
  init?(seed: UInt64, place: UInt64, execution: UInt64, fruitless: UInt64) {
    let draw = DelayTables.mixed(
      DelayTables.mixed(seed ^ place) &+ execution &* 0x9E37_79B9_7F4A_7C15)
    guard draw >> 32 < Self.firstChance >> min(fruitless, 32) else { return nil }
    let span = UInt64(Self.lengths.upperBound - Self.lengths.lowerBound) + 1
    length = Self.lengths.lowerBound + UInt((draw & 0xFFFF_FFFF) % span)
  }
}

extension NearMissDelays {
  /// How often a delay checks whether another section has overlapped. Not more often, since on a
  /// busy machine each check may cost a time slice.
  private static let sliceMicroseconds: UInt = 2000

  /// Decides whether this execution of an armed place is delayed, and delays it; returns whether it
  /// did.
  @inline(never)
  func consider(
    _ open: Registry.OpenSection, at place: PlaceNumber, in context: ThreadContext.Pointer
  ) -> Bool {
    let words = tables.words(of: place)
    // No atomic increment, which would cost more than the rest: two threads may get the same
    // number.
    let execution = words.considered.pointee.load(ordering: .relaxed) &+ 1
    words.considered.pointee.store(execution, ordering: .relaxed)
    guard
      let decision = DelayDecision(
        seed: Self.seed.load(ordering: .relaxed),
        place: UInt64(words.textHash.pointee.load(ordering: .relaxed)),
        execution: UInt64(execution),
        fruitless: UInt64(words.fruitless.pointee.load(ordering: .relaxed)))
    else { return false }
    switch delay(open, for: decision.length, in: context) {
    case .notMade: return false
    case .met: return true
    case .fruitless:
      words.fruitless.pointee.wrappingAdd(1, ordering: .relaxed)
      return true
    }
  }

  /// The result of a delay.
  enum Outcome {
    /// Another delay is active, no other thread could overlap, or the budget is used up.
    case notMade
    /// Another section overlapped.
    case met
    /// No other section overlapped.
    case fruitless
  }

  /// Holds a section open if no other is held and the budget allows it.
  func delay(
    _ open: Registry.OpenSection, for length: UInt, in context: ThreadContext.Pointer
  ) -> Outcome {
    // Acquires what the last delay spent; a thread that does not get the turn continues.
    guard !isDelaying.exchange(true, ordering: .acquiring) else { return .notMade }
    // Releases what was spent to the thread that takes the next turn.
    defer { isDelaying.store(false, ordering: .releasing) }
    let start = Platform.microseconds
    guard budget.allows(length, at: start) else { return .notMade }
    let bystanders = bystanders(besides: context)
    if allWait(bystanders) { return .notMade }
    return hold(open, for: length, since: start, besides: bystanders) ? .met : .fruitless
  }

  /// Keeps a section open until another overlaps or the time is over; returns whether one
  /// overlapped.
  private func hold(
    _ open: Registry.OpenSection, for length: UInt, since start: UInt,
    besides bystanders: [Bystander]
  ) -> Bool {
    isMet.store(false, ordering: .relaxed)
    heldSince.store(start, ordering: .relaxed)
    // Releases the two stores above to a thread that finds this section held.
    heldWord.store(open.word.bits, ordering: .releasing)
    var now = start
    while now &- start < length, !isMet.load(ordering: .relaxed) {
      Platform.pause(microseconds: Int(min(length - (now &- start), Self.sliceMicroseconds)))
      now = Platform.microseconds
    }
    budget.spend(min(now &- start, length))
    // Before this section continues to its end, and releases a lock that it may hold.
    let hasFound = isMet.load(ordering: .relaxed)
    if !hasFound { suspect(bystanders, of: open, length: length) }
    heldWord.store(0, ordering: .relaxed)
    // The thread that overlapped may be about to end the process: do not continue into the body.
    if hasFound { ConflictLog.shared.waitIfStopping() }
    return hasFound
  }

  /// Records that another section overlaps the one held open.
  func endHold() {
    // Relaxed: it only ends the delay early.
    isMet.store(true, ordering: .relaxed)
  }

  /// The section that is held open now, for a thread that has just seen it in its slot.
  var held: (word: UInt, microseconds: UInt)? {
    // Acquires `heldSince`.
    let word = heldWord.load(ordering: .acquiring)
    guard word != 0 else { return nil }
    return (word, Platform.microseconds &- heldSince.load(ordering: .relaxed))
  }
}
