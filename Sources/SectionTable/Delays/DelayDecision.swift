internal import Synchronization

/// The decision to hold open a section that has just begun at an armed place, and for how long.
struct DelayDecision: Equatable {
  /// The range of lengths, in microseconds. They are as long as scheduler time slices, and longer
  /// than the gaps between the calls of a busy thread.
  static let lengths: ClosedRange<UInt> = 2000...6000
  /// The chance, as a multiple of 2⁻³², at a place without fruitless delays. It is 0.9 and not 1,
  /// so that two threads do not stay in lockstep.
  private static let firstChance: UInt64 = 0xE666_6666

  /// The length in microseconds.
  var length: UInt

  /// Decides from the seed, the place and the place's execution count alone.
  ///
  /// Every fruitless delay halves the chance. A place with n executions is thus delayed about log₂
  /// n times: often at the beginning, and rarely, but repeatedly, in a long run.
  init?(seed: UInt64, place: UInt64, execution: UInt64, fruitless: UInt64) {
    let draw = DelayTables.mixed(
      DelayTables.mixed(seed ^ place) &+ execution &* 0x9E37_79B9_7F4A_7C15)
    guard draw >> 32 < Self.firstChance >> min(fruitless, 32) else { return nil }
    let span = UInt64(Self.lengths.upperBound - Self.lengths.lowerBound) + 1
    length = Self.lengths.lowerBound + UInt((draw & 0xFFFF_FFFF) % span)
  }
}

extension NearMissDelays {
  /// Decides whether this execution of an armed place is delayed, delays it, and returns true if it
  /// did.
  @inline(never)
  func consider(
    _ open: Registry.OpenSection, at place: PlaceNumber, in context: ThreadContext.Pointer
  ) -> Bool {
    let words = tables.words(of: place)
    // Avoid an atomic increment: it would cost more than the rest. Two threads may get the same
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
    switch store.delay(open, for: decision.length, in: context) {
    case .notMade: return false
    case .met, .undecided: return true
    case .fruitless:
      words.fruitless.pointee.wrappingAdd(1, ordering: .relaxed)
      return true
    }
  }
}
