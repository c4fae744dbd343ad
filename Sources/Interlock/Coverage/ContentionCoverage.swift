internal import Synchronization

/// Takes note of what sections a run has: who touched what where, and which places nearly met.
///
/// The path of every begin goes through fixed memory without a lock (`CoverageTables`); what
/// happens once for a place or a pair goes under the lock of `places`.
final class ContentionCoverage: Sendable {
  /// That of this process, made at the first section that is noted; `nil` where there is no memory.
  static let shared: ContentionCoverage? = make()

  private static let known = LastingObject<ContentionCoverage>()

  /// That of this process if any section was noted.
  static var made: ContentionCoverage? {
    // The object itself comes from `shared`, which orders what is in it.
    known.isSet ? shared : nil
  }

  let tables: CoverageTables
  let places = Guarded(KnownPlaces())

  private static func make() -> ContentionCoverage? {
    guard let tables = CoverageTables() else {
      writeError("interlock: exercise: there is no memory for it; it is off\n")
      Settings.shared.exercise = false
      known.set(nil)
      return nil
    }
    let made = ContentionCoverage(tables)
    known.set(made)
    return made
  }

  private init(_ tables: CoverageTables) { self.tables = tables }

  /// Called at the end of a begin, with what has been published.
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
      // A computed name lies elsewhere each time.
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
      // A set of recent accesses is shared by names whose keys agree in a few bits.
      guard tables.resource(of: other) == resource else { return }
      let pair = PlacePair(place, other)
      if !tables.near.isSettled(pair) { note(.armed, of: pair) }
    }
  }

  /// Notes that two sections have met, and who they were: the conflict may end the process before
  /// the second is noted as one that has begun.
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

  var report: ExerciseReport { places.withLock { $0.report(from: tables) } }
}

extension DelayTables.Mark {
  /// The same for a place on a resource: one line may serve several.
  @inline(__always)
  init(file: UInt, lineAndFlags: UInt, name: UInt) {
    self.init(
      file: file ^ UInt(DelayTables.mixed(UInt64(name))), lineAndFlags: lineAndFlags)
  }
}

extension SectionTracking {
  /// Whether it is noted what the run exercises; off unless set here, by `exercise=on`, or by
  /// `require_contention=on`.
  ///
  /// Costs some tens of nanoseconds a section and 900 KiB of the address space, once. What is
  /// switched off in between is not noted.
  public static var exercise: Bool {
    get { Settings.shared.exercise }
    set { Settings.shared.exercise = newValue }
  }

  /// What has been exercised so far; where `exercise` was never on, the report says that it is not
  /// known.
  public static var exerciseReport: ExerciseReport {
    ContentionCoverage.made?.report ?? ExerciseReport(isMeasured: Settings.shared.wasExercised)
  }
}
