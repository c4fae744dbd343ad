internal import SectionTable
internal import Synchronization

/// The slow part of near-miss delays: the pairs by text, and the section that is held open.
final class NearMissStore: NearMissDelays.Store {
  /// The interval at which a delay checks for an overlap. On a busy machine each check may cost a
  /// time slice.
  private static let sliceMicroseconds: UInt = 2000

  let tables: DelayTables
  let budget: DelayBudget
  let pairs: Guarded<KnownPairs>
  /// The section that is being held open, as the word in its slot; 0 for none.
  private let heldWord = Synchronization.Atomic<UInt>(0)
  /// The time since when it is held open, in microseconds.
  private let heldSince = Synchronization.Atomic<UInt>(0)
  /// True if another section has overlapped the held one.
  private let isMet = Synchronization.Atomic(false)
  /// True while a section is held open. Only one is held at a time, so a thread that is blocked
  /// meanwhile was blocked by this delay.
  private let isDelaying = Synchronization.Atomic(false)
  /// When a delay last blocked a thread, or found one blocked, in milliseconds of the coarse clock;
  /// 0 for never.
  private let lastBlocked = Synchronization.Atomic<UInt>(0)

  private init(_ tables: DelayTables, _ plan: DelaySettings) {
    self.tables = tables
    budget = DelayBudget(percent: plan.budgetPercent)
    pairs = Guarded(KnownPairs(plan, tables))
  }

  /// The delays of the process; `nil` without memory.
  static func makeDelays() -> NearMissDelays? {
    guard let tables = DelayTables() else {
      writeError("interlock: delays: there is no memory for them; they are off\n")
      Settings.shared.delays = false
      return nil
    }
    let plan = Settings.shared.delayPlan
    let store = NearMissStore(tables, plan)
    return NearMissDelays(tables, store.budget, plan.probes ? Probe() : nil, store)
  }

  func number(_ mark: DelayTables.Mark, of record: Record) -> PlaceNumber {
    let lineAndFlags = record[.lineAndFlags]
    let place = TrapPlace(
      file: Site.string(record[.file], record[.lengths] & 0xFFFF_FFFF),
      line: Int(lineAndFlags & 0xFFFF_FFFF), writes: record.writes)
    return number(mark, of: place)
  }

  private func number(_ mark: DelayTables.Mark, of place: TrapPlace) -> PlaceNumber {
    pairs.withLock { pairs in
      let number = pairs.number(of: place, in: tables)
      tables.set(number, of: mark)
      return number
    }
  }

  func arm(_ pair: PlacePair) {
    pairs.withLock { _ = $0.set(.armed, of: pair, in: tables) }
  }

  /// Records that two sections have overlapped, and saves the pair in the trap file if it is new.
  func met(_ one: Evidence, _ other: Evidence) {
    guard one.place.line != 0, other.place.line != 0 else { return }
    let numbers = [one, other].map { evidence in
      let mark = DelayTables.Mark(
        file: evidence.rawPlace.file, lineAndFlags: evidence.rawPlace.lineAndFlags)
      return tables.number(of: mark)
        ?? number(
          mark,
          of: TrapPlace(
            file: evidence.place.file, line: evidence.place.line, writes: evidence.mode.writes))
    }
    guard numbers[0].isFollowed, numbers[1].isFollowed else { return }
    let pair = PlacePair(numbers[0], numbers[1])
    pairs.withLock { pairs in
      if pairs.set(.found, of: pair, in: tables) { pairs.save() }
    }
  }

  func delay(
    _ open: Registry.OpenSection, for length: UInt, in context: ThreadContext.Pointer
  ) -> NearMissDelays.Outcome {
    // Acquire what the last delay spent. A thread that does not get the turn continues without a
    // delay.
    guard !isDelaying.exchange(true, ordering: .acquiring) else { return .notMade }
    // Release what was spent to the thread that takes the next turn.
    defer { isDelaying.store(false, ordering: .releasing) }
    let start = Platform.microseconds
    guard budget.allows(length, at: start) else { return .notMade }
    let bystanders = bystanders(besides: context)
    if allWait(bystanders) { return .notMade }
    if hold(open, for: length, since: start, besides: bystanders) { return .met }
    guard bystanders.isEmpty, hasSuspect(besides: context) else { return .fruitless }
    // At most one such delay in each window, and none of them makes later delays less likely.
    noteBlocked()
    return .undecided
  }

  /// Notes that a thread is blocked now.
  func noteBlocked() {
    // Relaxed: only the thread with the turn to delay accesses it, and the turn orders it.
    lastBlocked.store(Platform.coarseMilliseconds, ordering: .relaxed)
  }

  /// True if `noteBlocked` was called within the window of a near miss.
  func hasBlocked(at now: UInt) -> Bool {
    // Relaxed: see `noteBlocked`.
    now &- lastBlocked.load(ordering: .relaxed) <= RecentAccess.window
  }

  /// Keeps a section open until another overlaps it or the time is over; returns true for an
  /// overlap.
  private func hold(
    _ open: Registry.OpenSection, for length: UInt, since start: UInt,
    besides bystanders: [Bystander]
  ) -> Bool {
    isMet.store(false, ordering: .relaxed)
    heldSince.store(start, ordering: .relaxed)
    // Release the two stores above to a thread that finds this section held.
    heldWord.store(open.word.bits, ordering: .releasing)
    var now = start
    while now &- start < length, !isMet.load(ordering: .relaxed) {
      Platform.pause(microseconds: Int(min(length - (now &- start), Self.sliceMicroseconds)))
      now = Platform.microseconds
    }
    budget.spend(min(now &- start, length))
    // Check before this section continues to its end, where it may release a lock.
    let hasFound = isMet.load(ordering: .relaxed)
    if !hasFound { suspect(bystanders, of: open, length: length) }
    heldWord.store(0, ordering: .relaxed)
    // The thread that overlapped may be about to end the process: do not continue into the body.
    if hasFound { ConflictLog.shared.waitIfStopping() }
    return hasFound
  }

  /// Records that another section overlaps the held one.
  func endHold() {
    // Relaxed: the flag only ends the delay early.
    isMet.store(true, ordering: .relaxed)
  }

  /// The section that is held open, for a thread that has just found it in its slot.
  var held: (word: UInt, microseconds: UInt)? {
    // Acquire `heldSince`.
    let word = heldWord.load(ordering: .acquiring)
    guard word != 0 else { return nil }
    return (word, Platform.microseconds &- heldSince.load(ordering: .relaxed))
  }
}

extension NearMissDelays {
  /// The store. There is only one per process.
  private var rest: NearMissStore? { store as? NearMissStore }

  /// Records that two sections have overlapped.
  func met(_ one: Evidence, _ other: Evidence) { rest?.met(one, other) }

  /// Records that another section overlaps the held one.
  func endHold() { rest?.endHold() }

  /// The section that is held open.
  var held: (word: UInt, microseconds: UInt)? { rest?.held }

  /// Starts a new run: see `SectionTracking.restartDelays`.
  func restart() {
    rest?.pairs.withLock { $0.restart(in: tables) }
    budget.restart()
    probe?.restart()
  }

  func saveTraps() { rest?.pairs.withLock { $0.save() } }

  var counts: SectionTracking.DelayCounts {
    var counts = rest?.pairs.withLock { $0.counts } ?? SectionTracking.DelayCounts()
    counts.delays = budget.delays
    counts.microseconds = Int(budget.spent)
    return counts
  }
}
