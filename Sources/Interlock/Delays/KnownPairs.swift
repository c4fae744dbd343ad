internal import SectionTable
internal import Synchronization

/// The places by text, the state of each pair, and the trap file: the data behind the lock.
struct KnownPairs {
  /// The number of delays that have proved an order, and the last such delay.
  private struct Proofs {
    var count = 0
    var last: UInt = 0
  }

  private var numbers: [TrapPlace: PlaceNumber] = [:]
  private var places: [PlaceNumber: TrapPlace] = [:]
  private var states: [PlacePair: PairState] = [:]
  private var proofs: [PlacePair: Proofs] = [:]
  /// Pairs that overlapped in an earlier run of this build. They are delayed again, and never
  /// dropped as ordered.
  private var metBefore: Set<PlacePair> = []
  private var store: TrapStore?
  private let scope: String
  private var mustSave = false
  /// The last delay that blocked a thread.
  var question = DelayInQuestion()

  /// Starts with the contents of the trap file.
  init(_ plan: DelaySettings, _ tables: DelayTables) {
    scope = plan.scope
    guard let path = plan.trapFile else { return }
    var store = TrapStore(path: path)
    let (file, mustBeRebuilt) = store.load()
    self.store = store
    mustSave = mustBeRebuilt
    // Sort the pairs, so that the same file gives the same numbers.
    for (known, state) in file.pairs.sorted(by: { $0.key.first.text < $1.key.first.text })
    where known.scope == scope {
      let pair = PlacePair(
        number(of: known.first, in: tables), number(of: known.second, in: tables))
      guard pair.lower.isFollowed else { continue }
      if state == .found { metBefore.insert(pair) }
      if tables.set(state == .found ? .armed : state, of: pair) {
        states[pair] = state == .found ? .armed : state
      }
    }
  }

  /// The number of a place; a new number if it has none. If there are too many places, the number
  /// that stands for a place that is not followed.
  mutating func number(of place: TrapPlace, in tables: DelayTables) -> PlaceNumber {
    if let number = numbers[place] { return number }
    // Numbers start at 1, with the mode in the bit below: 0 stands for no place.
    let next = UInt(numbers.count + 1) << 1
    guard next < UInt(DelayTables.placeNumbers) else { return PlaceNumber(bits: 0) }
    let number = PlaceNumber(bits: next | (place.writes ? 1 : 0))
    numbers[place] = number
    places[number] = place
    tables.words(of: number).textHash.pointee.store(UInt(place.hash), ordering: .relaxed)
    return number
  }

  /// Sets the state of a pair; returns true if the state is new. An overlap is never reset.
  @discardableResult
  mutating func set(_ state: PairState, of pair: PlacePair, in tables: DelayTables) -> Bool {
    let before = states[pair]
    guard before != state, before != .found, before == nil || state != .armed else { return false }
    guard before != nil || states.count < DelayTables.mostPairs, tables.set(state, of: pair) else {
      return false
    }
    states[pair] = state
    if states.count == DelayTables.mostPairs { tables.close() }
    mustSave = true
    return true
  }

  /// Records that a delay has blocked a thread before a place. Drops the pair after several such
  /// delays.
  mutating func prove(_ pair: PlacePair, by delay: UInt, in tables: DelayTables) {
    guard states[pair] == .armed, !metBefore.contains(pair) else { return }
    // Count a delay once: several threads may have waited for it.
    guard proofs[pair]?.last != delay else { return }
    proofs[pair, default: Proofs()].count += 1
    proofs[pair]?.last = delay
    if proofs[pair]?.count == NearMissStore.proofsNeeded {
      set(.dropped, of: pair, in: tables)
    }
  }

  /// Delays every known pair again, as if none had overlapped or been dropped.
  mutating func restart(in tables: DelayTables) {
    for (pair, state) in states where state != .armed && tables.set(.armed, of: pair) {
      states[pair] = .armed
    }
    proofs = [:]
    for number in places.keys {
      // Relaxed: a concurrent write of the count only changes the chance of one delay.
      tables.words(of: number).considered.pointee.store(0, ordering: .relaxed)
      tables.words(of: number).fruitless.pointee.store(0, ordering: .relaxed)
    }
  }

  /// Writes the trap file if there is one and a pair has changed.
  mutating func save() {
    guard mustSave, store != nil else { return }
    mustSave = false
    var pairs: [TrapFile.Pair: PairState] = [:]
    for (pair, state) in states {
      guard let one = places[pair.lower], let other = places[pair.higher] else { continue }
      pairs[TrapFile.Pair(one, other, scope: scope)] = metBefore.contains(pair) ? .found : state
    }
    store?.save(pairs)
  }

  var counts: SectionTracking.DelayCounts {
    var counts = SectionTracking.DelayCounts()
    for state in states.values {
      switch state {
      case .armed: counts.armed += 1
      case .dropped: counts.dropped += 1
      case .found: counts.found += 1
      }
    }
    return counts
  }
}
