internal import Synchronization

/// Records the contention coverage of a run: which owner accessed which resource at which place,
/// and which places nearly overlapped.
///
/// Every begin uses fixed memory without a lock (`CoverageTables`); work done once per place or
/// pair takes the lock of `places`.
final class ContentionCoverage: Sendable {
  /// The process-wide instance, created when the first section is noted; `nil` without memory.
  static let shared: ContentionCoverage? = make()

  private static let known = LastingObject<ContentionCoverage>()

  /// The process-wide instance if any section was noted.
  static var made: ContentionCoverage? {
    // The object itself comes from `shared`, which orders its contents.
    known.isSet ? shared : nil
  }

  let tables: CoverageTables
  let places = Guarded(KnownPlaces())

  private static func make() -> ContentionCoverage? {
    guard let tables = CoverageTables() else {
      writeError("interlock: coverage: there is no memory for it; it is off\n")
      Settings.shared.coverage = false
      known.set(nil)
      return nil
    }
    let made = ContentionCoverage(tables)
    known.set(made)
    return made
  }

  private init(_ tables: CoverageTables) { self.tables = tables }

  /// Called at the end of a begin, with the published section.
  @inline(__always)
  static func afterBegin(_ open: Registry.OpenSection, of owner: UInt) {
    let isKnown = known.with { $0.afterBegin(open, of: owner) }
    if !isKnown { shared?.afterBegin(open, of: owner) }
  }

  private func afterBegin(_ open: Registry.OpenSection, of owner: UInt) {
    let record = open.record
    let isOwnName = record[.nameLength] & Record.ownedName != 0
    let mark = DelayTables.Mark(
      file: record[.file], lineAndFlags: record[.lineAndFlags],
      // A computed name has another address each time.
      name: isOwnName ? UInt(open.key.hash) : record[.name])
    let place = tables.near.number(of: mark) ?? number(mark, of: record)
    guard place.isFollowed else { return noteFull() }
    let now = Platform.coarseMilliseconds
    let part = open.word.hasPart ? record[.partHash] : 0
    if tables.isSame(owner, open.key, part: part, at: place, now) { return }
    let resource = tables.resource(of: place)
    tables.note(owner, at: place)
    tables.words(ofResource: resource).note(owner)
    tables.note(owner, on: open.key, ofResource: resource)
    tables.near.note(open, of: owner, at: place, at: now) { other in
      // Names whose keys agree in a few bits share a set of recent accesses.
      guard tables.resource(of: other) == resource else { return }
      let pair = PlacePair(place, other)
      if !tables.near.isSettled(pair) { note(.armed, of: pair) }
    }
  }

  /// Records that two sections overlapped, and their places: the conflict may end the process
  /// before the begin of the second is recorded.
  func met(_ one: Evidence, _ other: Evidence, on resource: String) {
    guard one.place.line != 0, other.place.line != 0 else { return }
    let numbers = [one, other].map { evidence in
      places.withLock {
        $0.number(of: evidence.place, in: evidence.mode, on: resource, in: tables)
      }
    }
    guard numbers[0].isFollowed, numbers[1].isFollowed else { return noteFull() }
    let words = tables.words(ofResource: tables.resource(of: numbers[0]))
    words.set(CoverageTables.ResourceWords.shared)
    for (evidence, place) in zip([one, other], numbers) {
      words.note(evidence.owner)
      tables.note(evidence.owner, at: place)
    }
    note(.found, of: PlacePair(numbers[0], numbers[1]))
  }

  @inline(never)
  private func number(_ mark: DelayTables.Mark, of record: Record) -> PlaceNumber {
    let evidence = Evidence(of: record)
    let name = Site.string(
      record[.name], record[.nameLength] & ~(Record.ownedName | Record.extended))
    return places.withLock { known in
      let number = known.number(of: evidence.place, in: evidence.mode, on: name, in: tables)
      tables.near.set(number, of: mark)
      return number
    }
  }

  @inline(never)
  private func note(_ state: PairState, of pair: PlacePair) {
    places.withLock { $0.set(state, of: pair, in: tables) }
  }

  @inline(never)
  private func noteFull() { places.withLock { $0.isFull = true } }

  var report: CoverageReport { places.withLock { $0.report(from: tables) } }
}

extension DelayTables.Mark {
  /// As above, for a place on one resource: a line may access several resources.
  @inline(__always)
  init(file: UInt, lineAndFlags: UInt, name: UInt) {
    self.init(
      file: file ^ UInt(DelayTables.mixed(UInt64(name))), lineAndFlags: lineAndFlags)
  }
}

extension SectionTracking {
  /// Whether contention coverage is recorded; off unless set here, by `coverage=on`, or by
  /// `require_contention=on`.
  ///
  /// Costs some tens of nanoseconds per section and, once, 900 KiB of the address space. While it
  /// is off, nothing is recorded.
  public static var coverage: Bool {
    get { Settings.shared.coverage }
    set { Settings.shared.coverage = newValue }
  }

  /// The contention coverage so far; if `coverage` was never on, a report that says so.
  public static var coverageReport: CoverageReport {
    ContentionCoverage.made?.report ?? CoverageReport(isMeasured: Settings.shared.wasCovered)
  }
}
