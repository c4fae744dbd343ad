internal import CInterlock

/// The pairs of places without an observed order, each once.
final class UnorderedLog: Sendable {
  static let shared = UnorderedLog()

  /// The most pairs that are stored.
  private static let limit = 256

  private struct Pair: Hashable {
    var resource: String
    var places: Set<Evidence.RawPlace>
  }

  private struct Entry {
    var overlap: Overlap
    var firstHeld: [UnorderedAccesses.Held]
    var secondHeld: [UnorderedAccesses.Held]
    var count = 1
  }

  private struct State {
    var order: [Pair] = []
    var entries: [Pair: Entry] = [:]
  }

  private let state = Guarded(State())

  /// Records a past section that nothing orders before the section that the calling thread has just
  /// begun.
  func add(
    _ past: Evidence, _ held: [UnorderedAccesses.Held], _ record: Record, _ source: OrderSource
  ) {
    let now = Evidence(withPartOf: record)
    let name = Site.string(record[.name], record[.nameLength] & 0xFFFF_FFFF)
    let pair = Pair(resource: name, places: [past.rawPlace, now.rawPlace])
    let isNew = state.withLock { state in
      state.entries[pair]?.count += 1
      return state.entries[pair] == nil && state.order.count < Self.limit
    }
    guard isNew else { return }
    let instance = Resource.instanceDescription(
      instance: record[.instance], type: record[.instanceType])
    let own = withUnsafeTemporaryAllocation(
      of: interlock_held_at.self, capacity: PastAccess.heldLimit
    ) { buffer in
      guard let base = buffer.baseAddress else { return [UnorderedAccesses.Held]() }
      let count = min(source.held(base, capacity: buffer.count), buffer.count)
      return (0..<count).map {
        UnorderedAccesses.Held(
          object: buffer[$0].object, place: buffer[$0].place, outer: buffer[$0].outer,
          kind: buffer[$0].kind)
      }
    }
    let overlap = Overlap(resource: name, instance: instance, first: past, second: now)
      .withThreadNames()
    state.withLock { state in
      guard state.entries[pair] == nil else {
        state.entries[pair]?.count += 1
        return
      }
      state.order.append(pair)
      state.entries[pair] = Entry(overlap: overlap, firstHeld: held, secondHeld: own)
    }
  }

  var accesses: [UnorderedAccesses] {
    let entries = state.withLock { state in state.order.compactMap { state.entries[$0] } }
    // An overlap was observed, so it is not reported again as a possibility.
    let met = Set(
      ConflictLog.shared.conflicts.map {
        [$0.first.place.description, $0.second.place.description]
      }
      .map(Set.init))
    return entries.compactMap { entry in
      let conflict = entry.overlap.conflict(count: entry.count)
      if met.contains([conflict.first.place.description, conflict.second.place.description]) {
        return nil
      }
      return UnorderedAccesses(
        resource: conflict.resource, instance: conflict.instance,
        first: UnorderedAccesses.Side(
          section: conflict.first, addresses: entry.overlap.first.addresses, held: entry.firstHeld),
        second: UnorderedAccesses.Side(
          section: conflict.second, addresses: entry.overlap.second.addresses,
          held: entry.secondHeld), count: entry.count)
    }
  }
}
