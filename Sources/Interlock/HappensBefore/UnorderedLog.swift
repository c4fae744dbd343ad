internal import CMarks
internal import SectionTable
internal import Synchronization

/// A past section, copied from its shadow state.
final class PastSection: Sendable {
  let evidence: Evidence
  /// The locks that the owner held when the section ended.
  let held: [UnorderedAccesses.Held]

  /// Copies a past section. Call it under the lock of the shadow state.
  init(_ past: PastAccess) {
    evidence = Evidence(of: past.record)
    let words = past.held
    let count = min(Int(words.pointee.load(ordering: .relaxed)), PastAccess.heldLimit)
    held = (0..<count).map { index in
      let at = words + 1 + index * 4
      return UnorderedAccesses.Held(
        object: at[0].load(ordering: .relaxed), place: at[1].load(ordering: .relaxed),
        outer: at[2].load(ordering: .relaxed),
        kind: UInt32(truncatingIfNeeded: at[3].load(ordering: .relaxed)))
    }
  }
}

/// The pairs of places without an observed order, each listed once.
final class UnorderedLog: Sendable {
  static let shared = UnorderedLog()

  /// The most pairs that are stored.
  private static let limit = 256

  private struct Pair: Hashable {
    var resource: String
    var places: Set<Evidence.RawPlace>
  }

  struct Entry {
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

  /// Records a past section that nothing orders before the section just begun by the calling
  /// thread.
  func add(_ past: PastSection, before record: Record, _ source: OrderSource) {
    let now = Evidence(withPartOf: record)
    let name = Site.string(record[.name], record[.nameLength] & 0xFFFF_FFFF)
    if let execution = ExploredSections.execution {
      let entry = Self.entry(past, now, record, name, source)
      ExploredRaces.add(entry, in: execution)
      return
    }
    let pair = Pair(resource: name, places: [past.evidence.rawPlace, now.rawPlace])
    let isNew = state.withLock { state in
      state.entries[pair]?.count += 1
      return state.entries[pair] == nil && state.order.count < Self.limit
    }
    guard isNew else { return }
    var entry = Self.entry(past, now, record, name, source)
    entry.overlap = entry.overlap.withThreadNames()
    state.withLock { [entry] state in
      guard state.entries[pair] == nil else {
        state.entries[pair]?.count += 1
        return
      }
      state.order.append(pair)
      state.entries[pair] = entry
    }
  }

  private static func entry(
    _ past: PastSection, _ now: Evidence, _ record: Record, _ name: String, _ source: OrderSource
  ) -> Entry {
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
    return Entry(
      overlap: Overlap(resource: name, instance: instance, first: past.evidence, second: now),
      firstHeld: past.held, secondHeld: own)
  }

  var accesses: [UnorderedAccesses] {
    let entries = state.withLock { state in state.order.compactMap { state.entries[$0] } }
    // Leave out observed overlaps: they are not mere possibilities.
    let met = Set(
      ConflictLog.shared.conflicts.map {
        [$0.first.place.description, $0.second.place.description]
      }
      .map(Set.init))
    return entries.compactMap { entry in
      let accesses = entry.accesses
      let places = [accesses.first, accesses.second].map(\.section.place.description)
      return met.contains(Set(places)) ? nil : accesses
    }
  }
}

extension UnorderedLog.Entry {
  /// The pair, with symbolicated stacks.
  var accesses: UnorderedAccesses {
    let conflict = overlap.conflict(count: count)
    return UnorderedAccesses(
      resource: conflict.resource, lastingResource: conflict.lastingResource,
      instance: conflict.instance,
      first: UnorderedAccesses.Side(
        section: conflict.first, addresses: overlap.first.addresses, held: firstHeld),
      second: UnorderedAccesses.Side(
        section: conflict.second, addresses: overlap.second.addresses, held: secondHeld),
      count: count)
  }
}
