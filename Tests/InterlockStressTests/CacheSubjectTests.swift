import Dispatch
import InterlockStress
import TestSupport
import Testing

@testable import InterlockTool

/// Calls a subject, and returns its reply.
func reply(of subject: any Subject, to operation: InterlockStress.Operation) async -> Reply {
  await withCheckedContinuation { continuation in
    subject.perform(operation) { continuation.resume(returning: $0) }
  }
}

/// A subject's final state, read on a thread outside of Swift's pool.
func finalState(of subject: any Subject) async -> FinalState? {
  await withCheckedContinuation { continuation in
    DispatchQueue(label: "final state").async {
      continuation.resume(returning: subject.finalState())
    }
  }
}

@Suite("A cache as a subject", .hangLimit)
struct CacheSubjectTests {
  private static let entries: [SubjectEntry] = [
    .cache("cache", "with five methods") { FiveMethods() },
    .cache("actor", "with synchronous members of its own") { CountingActor() },
  ]

  @Test("A cache subject performs each kind of call", arguments: entries.map(\.name))
  func kinds(_ name: String) async throws {
    let subject = try #require(Self.entries.first { $0.name == name }).make()
    let store = InterlockStress.Operation(kind: .set, key: "a", value: [1, 2], cost: 2)
    #expect(await reply(of: subject, to: store) == .done)
    #expect(await reply(of: subject, to: .init(kind: .get, key: "a")) == .value([1, 2]))
    #expect(await reply(of: subject, to: .init(kind: .get, key: "b")) == .value(nil))
    #expect(
      await reply(of: subject, to: .init(kind: .setAsync, key: "b", value: [3], cost: 1)) == .done)
    #expect(await reply(of: subject, to: .init(kind: .getAsync, key: "b")) == .value([3]))
    #expect(await reply(of: subject, to: .init(kind: .count, key: "")) == .count(2))
    #expect(await reply(of: subject, to: .init(kind: .remove, key: "a")) == .done)
    #expect(await reply(of: subject, to: .init(kind: .removeAsync, key: "b")) == .done)
    #expect(await reply(of: subject, to: .init(kind: .count, key: "")) == .count(0))
    // The call comes from a task, as in the driver of tasks.
    #expect(await subject.perform(store) == .done)
    #expect(await subject.perform(.init(kind: .getAsync, key: "a")) == .value([1, 2]))
    #expect(await subject.perform(.init(kind: .removeAll, key: "")) == .done)
    #expect(await subject.perform(.init(kind: .count, key: "")) == .count(0))
  }

  @Test("A cache subject reports its final state only if the cache shows its entries")
  func state() async throws {
    let actor = Self.entries[1].make()
    _ = await actor.perform(.init(kind: .set, key: "a", value: [1, 2], cost: 9))
    let expected = FinalState(count: 1, totalCost: 9, entries: ["a": 9], values: ["a": [1, 2]])
    #expect(await finalState(of: actor) == expected)
    #expect(await finalState(of: Self.entries[0].make()) == nil)
  }
}

@Suite("The built-in subjects", .hangLimit)
struct BuiltInSubjectTests {
  @Test("The built-in subjects have the names of the 1,000-read scenario, each once")
  func names() {
    let names = builtInSubjects.map(\.name)
    #expect(Set(names).count == names.count)
    let expected: Set = [
      "semaphore-lock", "mutex", "serial-queue-sync", "semaphore-over-async", "unlocked",
      "serial-queue-sync-private", "semaphore-over-async-serial", "serial-queue-reentrant",
      "barrier-queue", "reader-writer-lock", "stdlib-mutex", "actor", "task-semaphore",
    ]
    #expect(expected.isSubset(of: names))
  }

  @Test(
    "all built-in subjects that run unlisted report their state, so that no oracle is skipped",
    arguments: builtInSubjects.filter(\.runsUnlisted).map(\.name))
  func state(_ name: String) async throws {
    let subject = try #require(builtInSubjects.first { $0.name == name }).make()
    let store = InterlockStress.Operation(kind: .setAsync, key: "a", value: [1], cost: 5)
    #expect(await reply(of: subject, to: store) == .done)
    let expected = FinalState(count: 1, totalCost: 5, entries: ["a": 5], values: ["a": [1]])
    #expect(await finalState(of: subject) == expected)
  }
}

/// A user's cache with the required members only.
private final class FiveMethods: Cache {
  private let queue = DispatchQueue(label: "five methods")
  // Accessed only on the queue.
  nonisolated(unsafe) private var values: [String: [UInt8]] = [:]

  func value(forKey key: String) -> [UInt8]? { queue.sync { values[key] } }
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    queue.sync { values[key] = value }
  }
  func removeValue(forKey key: String) { queue.sync { values[key] = nil } }
  func removeAllValues() { queue.sync { values = [:] } }
  var count: Int { queue.sync { values.count } }
}

/// A user's actor, whose members are not `async` to itself.
private actor CountingActor: AsyncCache {
  private var stored: [String: CacheEntry] = [:]

  func value(forKey key: String) -> [UInt8]? { stored[key]?.value }
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    stored[key] = CacheEntry(value: value, cost: cost)
  }
  func removeValue(forKey key: String) { stored[key] = nil }
  func removeAllValues() { stored = [:] }
  var count: Int { stored.count }
  var totalCost: Int? { stored.values.reduce(0) { $0 + $1.cost } }
  func entries() -> [String: CacheEntry]? { stored }
}
