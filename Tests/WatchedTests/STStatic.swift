import Foundation
import InterlockTesting
import Testing

private actor GlobalCache {
  private var values: [String: Int] = [:]
  private(set) var loads = 0

  func value(_ key: String) async -> Int {
    if let value = values[key] { return value }
    loads += 1
    await Task.yield()
    values[key] = loads
    return loads
  }
}

private actor GlobalCount {
  private(set) var value = 0
  func add() { value += 1 }
}

/// Tests of global state, each explored as if every order ran in a new process.
@Suite(.explored(.budget(.seconds(5)))) struct STStatic {
  private static let cache = GlobalCache()

  /// The second order would find a warm cache if it ran in the same process.
  @Test func loadsTwice() async {
    async let one = Self.cache.value("a")
    async let other = Self.cache.value("a")
    _ = await (one, other)
    #expect(await Self.cache.loads == 1)
  }

  private static let counter = GlobalCount()

  @Test func counts() async {
    async let one: Void = Self.counter.add()
    async let other: Void = Self.counter.add()
    _ = await (one, other)
    #expect(await Self.counter.value == 2)
  }

  private static let seen = GlobalCount()

  /// Leaves state behind in the order in which the other task comes first. No order fails, but
  /// later executions have other steps.
  @Test func leftByOneOrder() async {
    let own = GlobalCount()
    if await Self.seen.value > 0 { return }
    async let one: Void = own.add()
    async let other = own.value
    _ = await one
    if await other == 0 { await Self.seen.add() }
  }

  private static let failed = GlobalCount()

  /// Leaves state behind as above, and then a later order fails, unless each has a new process.
  @Test func failsAfterOneOrder() async {
    let own = GlobalCount()
    let isFirst = await Self.failed.value == 0
    async let one: Void = own.add()
    async let other = own.value
    _ = await one
    if await other == 0 { await Self.failed.add() }
    #expect(isFirst)
  }

  private static let lock = NSLock()
  private static let names: [String: Int] = ["a": Int(String(1)) ?? 0]

  /// Initialises globals that never change.
  @Test func constants() async {
    async let one = Self.names["a"]
    async let other = Self.lock.withLock { Self.names["b"] }
    #expect(await (one ?? 0) + (await other ?? 0) == 1)
  }

  private static let lockedNames: [String: Int] = lock.withLock { ["a": 1] }

  /// The initialiser takes the lock that one of its users holds.
  @Test func waitsForInitialiser() async {
    async let one = Self.lockedNames["a"]
    async let other = Self.lock.withLock { Self.lockedNames["b"] }
    #expect(await (one ?? 0) + (await other ?? 0) == 1)
  }

  private static let otherLock = NSLock()
  private static let otherNames: [String: Int] = otherLock.withLock { ["a": 1] }

  /// The initialiser takes a lock of its own.
  @Test func initialisesUnderOwnLock() async {
    async let one = Self.otherNames["a"]
    async let other = Self.lock.withLock { Self.otherNames["b"] }
    #expect(await (one ?? 0) + (await other ?? 0) == 1)
  }
}
