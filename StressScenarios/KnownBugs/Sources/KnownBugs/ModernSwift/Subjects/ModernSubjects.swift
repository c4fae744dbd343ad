import Caches
import InterlockStress

/// Caches in today's Swift, each with the mistake that its design invites, and repaired.
let modernSubjects: [SubjectEntry] = [
  loading(
    "loading-actor", "an actor that loads what it lacks, and awaits it", repaired: false),
  loading("loading-actor-repaired", "loading-actor that keeps the loads under way", repaired: true),
  stream("stream-cache", "one consumer of an AsyncStream that keeps 16 commands", repaired: false),
  stream("stream-cache-repaired", "stream-cache that keeps every command", repaired: true),
  foundation(
    "nscache-eviction-asks", "NSCache whose delegate asks it about what it evicts",
    countLimit: 2, asksOnEviction: true),
  foundation(
    "nscache-eviction-asks-repaired", "nscache-eviction-asks that asks once no lock is held",
    countLimit: 2, repairs: .callsOutsideLocks, asksOnEviction: true),
  foundation(
    "nscache-release-asks", "NSCache with values that ask it while they are released",
    asksOnRelease: true),
  foundation(
    "nscache-release-asks-repaired", "nscache-release-asks that releases once no lock is held",
    repairs: .callsOutsideLocks, asksOnRelease: true),
  foundation("nscache-count-limit", "NSCache with a limit of 3 values", countLimit: 3),
  foundation(
    "nscache-count-limit-repaired", "nscache-count-limit with a running number for cost",
    countLimit: 3, repairs: .evictsOldest),
]

private let family = "Today's Swift"

private func loading(_ name: String, _ summary: String, repaired: Bool) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: family, actions: ["publish"], runsUnlisted: false
  ) {
    let origin = FolderOrigin()
    let cache = LoadingCache(over: origin, repaired: repaired)
    return ActingSubject(
      .cache(name, summary) { cache },
      actions: [
        "publish": { operation, completion in
          origin.publish(operation.value, forKey: operation.key)
          completion(.done)
        }
      ],
      state: { state in
        state.limits = origin.loads.sorted { $0.key < $1.key }.map {
          .init("loads of \($0.key)", value: $0.value, limit: 1)
        }
      })
  }
}

private func stream(_ name: String, _ summary: String, repaired: Bool) -> SubjectEntry {
  SubjectEntry(name: name, summary: summary, family: family, runsUnlisted: false) {
    StreamCacheSubject(StreamCache(repaired: repaired))
  }
}

/// A stream cache as a subject: the cache's own calls have a completion, so they need no task.
private final class StreamCacheSubject: Subject {
  private let cache: StreamCache
  private let base: any Subject

  init(_ cache: StreamCache) {
    self.cache = cache
    base = SubjectEntry.cache("stream-cache", "") { cache }.make()
  }

  func perform(_ operation: InterlockStress.Operation) async -> Reply {
    await base.perform(operation)
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    let key = operation.key
    switch operation.kind {
    case .getAsync: cache.value(forKey: key) { completion(.value($0)) }
    case .removeAsync: cache.removeValue(forKey: key) { completion(.done) }
    case .setAsync:
      cache.setValue(operation.value, forKey: key, cost: operation.cost) { completion(.done) }
    default: base.perform(operation, completion: completion)
    }
  }

  func finalState() -> FinalState? { base.finalState() }
}

private func foundation(
  _ name: String, _ summary: String, countLimit: Int = 0, repairs: FoundationCache.Repairs = [],
  asksOnEviction: Bool = false, asksOnRelease: Bool = false
) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: family, actions: ["set-and-look"], runsUnlisted: false,
    missing: FoundationCache.lackingForPeculiarities
  ) {
    // Any question to the cache will do; this one looks up a key.
    let ask: FoundationCache.Handler = { cache, _ in _ = cache.value(forKey: "key-0") }
    let cache = FoundationCache(
      countLimit: countLimit, repairs: repairs, onEviction: asksOnEviction ? ask : nil,
      onRelease: asksOnRelease ? ask : nil)
    // The number of stored values, and how many of these were there right after their store.
    let (made, lucky) = (Box(0), Box(0))
    return ActingSubject(
      .cache(name, summary) { cache },
      actions: [
        "set-and-look": { operation, completion in
          cache.setValue(operation.value, forKey: operation.key, cost: operation.cost)
          made.change { $0 += 1 }
          if cache.value(forKey: operation.key) != nil { lucky.change { $0 += 1 } }
          completion(.done)
        }
      ],
      state: { state in
        state.totals.append(
          .init(
            "the values stored, and those of them that were there right afterwards",
            claimed: made.value, counted: lucky.value))
      })
  }
}
