package import Synchronization

/// Near-miss delays. They arm pairs of places that nearly overlapped, and hold sections at armed
/// places open for a while, so that the other place can overlap. The registry then detects the
/// conflict like any other.
///
/// Every begin uses fixed memory without a lock (`DelayTables`). Work done once per place or pair
/// takes the lock of the store. No thread sleeps while it holds a lock of the tracker. Source: TSVD
/// (SOSP 2019), with its reference implementation microsoft/TSVD.
package final class NearMissDelays: Sendable {
  /// Rare work of a begin: once per place or pair, or in a delay.
  package protocol Store: AnyObject, Sendable {
    /// Returns the number of a record's place, and assigns it to the mark from now on.
    func number(_ mark: DelayTables.Mark, of record: Record) -> PlaceNumber
    /// Arms a pair.
    func arm(_ pair: PlacePair)
    /// Holds a section open if no other section is held and the budget allows it.
    func delay(
      _ open: Registry.OpenSection, for length: UInt, in context: ThreadContext.Pointer
    ) -> Outcome
    /// Checks whether a delay has blocked the thread that begins a section.
    func settleSuspicion(
      of context: ThreadContext.Pointer, on key: ResourceKey, at place: PlaceNumber)
  }

  /// The result of a delay.
  package enum Outcome {
    /// Another delay is active, no other thread could overlap, or the budget is used up.
    case notMade
    /// Another section overlapped.
    case met
    /// No other section overlapped.
    case fruitless
    /// No other section overlapped, but a thread that waits since an earlier delay might have.
    case undecided
  }

  /// The process-wide instance, created at the first section that may be delayed; `nil` without
  /// memory.
  package static let shared: NearMissDelays? = make()

  package static let seed = Atomic(UInt64.random(in: 0...UInt64.max))

  private static let known = LastingObject<NearMissDelays>()

  /// The process-wide instance if any section had delays.
  package static var made: NearMissDelays? {
    // Return the object from `shared`, whose initialisation orders its contents.
    known.isSet ? shared : nil
  }

  package let tables: DelayTables
  package let budget: DelayBudget
  /// Holds further sections open; `nil` to use near misses alone.
  package let probe: Probe?
  package let store: any Store

  private static func make() -> NearMissDelays? {
    let made = Tracker.hooks.makeDelays()
    known.set(made)
    return made
  }

  package init(_ tables: DelayTables, _ budget: DelayBudget, _ probe: Probe?, _ store: any Store) {
    self.tables = tables
    self.budget = budget
    self.probe = probe
    self.store = store
  }

  /// Called at the end of a begin, with the published section.
  @inline(__always)
  static func afterBegin(
    _ open: Registry.OpenSection, of owner: UInt, in context: ThreadContext.Pointer, hasMet: Bool
  ) {
    let isKnown = known.with { $0.afterBegin(open, of: owner, in: context, hasMet: hasMet) }
    if !isKnown { shared?.afterFirstBegin(open, of: owner, in: context, hasMet: hasMet) }
  }

  /// A separate function, so that the fast path is inlined above. A call costs a fortieth of a
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
    if context.isSuspected { store.settleSuspicion(of: context, on: open.key, at: place) }
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
      _ = store.delay(open, for: length, in: context)
    }
  }

  @inline(never)
  private func number(of record: Record) -> PlaceNumber {
    let mark = DelayTables.Mark(file: record[.file], lineAndFlags: record[.lineAndFlags])
    return tables.number(of: mark) ?? store.number(mark, of: record)
  }

  /// Not inlined, which keeps the path short for an access that is in the table already.
  @inline(never)
  private func note(
    _ open: Registry.OpenSection, of owner: UInt, at place: PlaceNumber, _ now: UInt
  ) {
    tables.note(open, of: owner, at: place, at: now) { other in
      let pair = PlacePair(place, other)
      if !tables.isSettled(pair) { store.arm(pair) }
    }
  }
}
