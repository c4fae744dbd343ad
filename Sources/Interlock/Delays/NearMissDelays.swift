internal import Synchronization

/// Near-miss delays: arms pairs of places that nearly overlapped, and holds sections at armed
/// places open for a while, so that the other can overlap. The registry then detects the conflict
/// as any other.
///
/// Every begin uses fixed memory without a lock (`DelayTables`); work done once per place or pair
/// takes the lock of `pairs`. No thread sleeps while it holds a lock of the tracker. Source: TSVD
/// (SOSP 2019), with its reference implementation microsoft/TSVD.
final class NearMissDelays: Sendable {
  /// The process-wide instance, created at the first section that may be delayed; `nil` without
  /// memory.
  static let shared: NearMissDelays? = make()

  static let seed = Atomic(UInt64.random(in: 0...UInt64.max))

  private static let known = LastingObject<NearMissDelays>()

  /// The process-wide instance if any section had delays.
  static var made: NearMissDelays? {
    // The object itself comes from `shared`, which orders its contents.
    known.isSet ? shared : nil
  }

  let tables: DelayTables
  let pairs: Guarded<KnownPairs>
  let budget: DelayBudget
  /// Holds further sections open; `nil` for near misses alone.
  let probe: Probe?
  /// The section that is being held open, as the word in its slot; 0 for none.
  let heldWord = Atomic<UInt>(0)
  /// When it began to be held, in microseconds.
  let heldSince = Atomic<UInt>(0)
  /// Whether another section has overlapped it.
  let isMet = Atomic(false)
  /// One section is held open at a time, so a thread that is blocked meanwhile was blocked by this
  /// delay.
  let isDelaying = Atomic(false)

  private static func make() -> NearMissDelays? {
    guard let tables = DelayTables() else {
      writeError("interlock: delays: there is no memory for them; they are off\n")
      Settings.shared.delays = false
      known.set(nil)
      return nil
    }
    let made = NearMissDelays(tables, Settings.shared.delayPlan)
    known.set(made)
    return made
  }

  private init(_ tables: DelayTables, _ plan: DelaySettings) {
    self.tables = tables
    budget = DelayBudget(percent: plan.budgetPercent)
    probe = plan.probes ? Probe() : nil
    pairs = Guarded(KnownPairs(plan, tables))
  }

  /// Called at the end of a begin, with the published section.
  @inline(__always)
  static func afterBegin(
    _ open: Registry.OpenSection, of owner: UInt, in context: ThreadContext.Pointer, hasMet: Bool
  ) {
    let isKnown = known.with { $0.afterBegin(open, of: owner, in: context, hasMet: hasMet) }
    if !isKnown { shared?.afterFirstBegin(open, of: owner, in: context, hasMet: hasMet) }
  }

  /// A separate function, so that the usual path is inlined above: a call costs a fortieth of a
  /// marked call under a lock in a debug build.
  @inline(never)
  private func afterFirstBegin(
    _ open: Registry.OpenSection, of owner: UInt, in context: ThreadContext.Pointer, hasMet: Bool
  ) {
    afterBegin(open, of: owner, in: context, hasMet: hasMet)
  }

  @inline(__always)
  private func afterBegin(
    _ open: Registry.OpenSection, of owner: UInt, in context: ThreadContext.Pointer, hasMet: Bool
  ) {
    let access = NotedAccesses.Access(open, of: owner)
    let known = context.pointee.accesses.known(access)
    let (now, isNoted) =
      known?.pointee.time { Platform.coarseMilliseconds } ?? (Platform.coarseMilliseconds, false)
    let place = known?.pointee.place ?? number(of: open.record)
    if context.isSuspected { settleSuspicion(of: context, on: open.key, at: place) }
    context.noteActivity(at: now)
    guard place.isFollowed else { return }
    if !isNoted {
      note(open, of: owner, at: place, now)
      context.pointee.accesses.note(
        access, at: place, at: now,
        armedPairs: probe == nil ? tables.words(of: place).armedPairs : nil)
    }
    if hasMet || budget.allowsNothing(at: now) { return }
    if tables.words(of: place).armedPairs.pointee.load(ordering: .relaxed) != 0,
      consider(open, at: place, in: context)
    {
      return
    }
    if let length = probe?.nextLength() {
      _ = delay(open, for: length, in: context)
    }
  }

  @inline(never)
  private func number(of record: Record) -> PlaceNumber {
    let mark = DelayTables.Mark(file: record[.file], lineAndFlags: record[.lineAndFlags])
    return tables.number(of: mark) ?? number(mark, of: record)
  }

  @inline(never)
  private func number(_ mark: DelayTables.Mark, of record: Record) -> PlaceNumber {
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

  /// Not inlined, so that the path of an access that is entered already stays short.
  @inline(never)
  private func note(
    _ open: Registry.OpenSection, of owner: UInt, at place: PlaceNumber, _ now: UInt
  ) {
    tables.note(open, of: owner, at: place, at: now) { other in
      let pair = PlacePair(place, other)
      if !tables.isSettled(pair) { arm(pair) }
    }
  }

  @inline(never)
  private func arm(_ pair: PlacePair) {
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

  /// Begins a run anew: see `SectionTracking.restartDelays`.
  func restart() {
    pairs.withLock { $0.restart(in: tables) }
    budget.restart()
    probe?.restart()
  }

  func saveTraps() { pairs.withLock { $0.save() } }

  var counts: SectionTracking.DelayCounts {
    var counts = pairs.withLock { $0.counts }
    counts.delays = budget.delays
    counts.microseconds = Int(budget.spent)
    return counts
  }
}
