internal import SectionTable

/// The names of resources and places of the contention coverage.
final class CoverageStore: ContentionCoverage.Store {
  private let tables: CoverageTables
  private let places = Guarded(KnownPlaces())

  private init(_ tables: CoverageTables) { self.tables = tables }

  /// The coverage of the process; `nil` without memory.
  static func makeCoverage() -> ContentionCoverage? {
    guard let tables = CoverageTables() else {
      writeError("interlock: coverage: there is no memory for it; it is off\n")
      Settings.shared.coverage = false
      return nil
    }
    return ContentionCoverage(tables, CoverageStore(tables))
  }

  /// Records that two sections overlapped, with their places: the conflict may end the process
  /// before the begin of the second section is recorded.
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

  func number(_ mark: DelayTables.Mark, of record: Record) -> PlaceNumber {
    let evidence = Evidence(of: record)
    let name = Site.string(
      record[.name], record[.nameLength] & ~(Record.ownedName | Record.extended))
    return places.withLock { known in
      let number = known.number(of: evidence.place, in: evidence.mode, on: name, in: tables)
      tables.near.set(number, of: mark)
      return number
    }
  }

  func noteNearMiss(_ pair: PlacePair) { note(.armed, of: pair) }

  private func note(_ state: PairState, of pair: PlacePair) {
    places.withLock { $0.set(state, of: pair, in: tables) }
  }

  func noteFull() { places.withLock { $0.isFull = true } }

  var report: CoverageReport { places.withLock { $0.report(from: tables) } }
}

extension ContentionCoverage {
  /// The store. There is only one per process.
  private var rest: CoverageStore? { store as? CoverageStore }

  /// Records that two sections overlapped.
  func met(_ one: Evidence, _ other: Evidence, on resource: String) {
    rest?.met(one, other, on: resource)
  }

  var report: CoverageReport { rest?.report ?? CoverageReport() }
}

extension SectionTracking {
  /// True if contention coverage is recorded. Off by default; set it here, or by `coverage=on` or
  /// `require_contention=on`.
  ///
  /// It costs some tens of nanoseconds per section and, once, 1.2 MiB of address space. While it is
  /// off, nothing is recorded.
  public static var coverage: Bool {
    get { Settings.shared.coverage }
    set { Settings.shared.coverage = newValue }
  }

  /// The contention coverage so far; if `coverage` was never on, a report that says so.
  public static var coverageReport: CoverageReport {
    ContentionCoverage.made?.report ?? CoverageReport(isMeasured: Settings.shared.wasCovered)
  }
}
