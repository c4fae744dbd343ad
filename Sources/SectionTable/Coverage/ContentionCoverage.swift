/// Records the contention coverage of a run: which owner accessed which resource at which place,
/// and which places nearly overlapped.
///
/// Every begin uses fixed memory without a lock (`CoverageTables`); work done once per place or
/// pair takes the lock of the store.
package final class ContentionCoverage: Sendable {
  /// Work of a begin that happens once per place or pair.
  package protocol Store: AnyObject, Sendable {
    /// Returns the number of a record's place, and assigns it to the mark from now on.
    func number(_ mark: DelayTables.Mark, of record: Record) -> PlaceNumber
    /// Records that two places nearly overlapped.
    func noteNearMiss(_ pair: PlacePair)
    /// Records that there is no room to follow a place.
    func noteFull()
  }

  /// The process-wide instance, created when the first section is recorded; `nil` without memory.
  package static let shared: ContentionCoverage? = make()

  private static let known = LastingObject<ContentionCoverage>()

  /// The process-wide instance if any section was recorded.
  package static var made: ContentionCoverage? {
    // Return the object from `shared`, whose initialisation orders its contents.
    known.isSet ? shared : nil
  }

  let tables: CoverageTables
  package let store: any Store

  private static func make() -> ContentionCoverage? {
    let made = Tracker.hooks.makeCoverage()
    known.set(made)
    return made
  }

  package init(_ tables: CoverageTables, _ store: any Store) {
    self.tables = tables
    self.store = store
  }

  /// Called in the child of a fork.
  static func forked() { made?.tables.forked() }

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
      // A computed name has a different address each time: use its hash.
      name: isOwnName ? UInt(open.key.hash) : record[.name])
    let place = tables.near.number(of: mark) ?? store.number(mark, of: record)
    guard place.isFollowed else { return store.noteFull() }
    let now = Platform.coarseMilliseconds
    let part = open.word.hasPart ? record[.partHash] : 0
    if tables.isSame(owner, open.key, part: part, at: place, now) { return }
    let resource = tables.resource(of: place)
    tables.note(owner, at: place)
    tables.words(ofResource: resource).note(owner)
    var instance = open
    if record[.instanceType] == 0 {
      tables.note(owner, on: open.key, ofResource: resource)
    } else {
      let mark = tables.note(owner, on: open.key, of: record[.instance], ofResource: resource)
      // An earlier object at the address is another instance for near misses too.
      instance.key.hash ^= DelayTables.mixed(mark)
    }
    tables.near.note(instance, of: owner, at: place, at: now) { other in
      // Names whose keys agree in a few bits share a set of recent accesses.
      guard tables.resource(of: other) == resource else { return }
      let pair = PlacePair(place, other)
      if !tables.near.isSettled(pair) { store.noteNearMiss(pair) }
    }
  }
}

extension DelayTables.Mark {
  /// As the other initialiser, but per resource: one line may access several resources.
  @inline(__always)
  init(file: UInt, lineAndFlags: UInt, name: UInt) {
    self.init(
      file: file ^ UInt(DelayTables.mixed(UInt64(name))), lineAndFlags: lineAndFlags)
  }
}
