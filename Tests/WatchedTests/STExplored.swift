import Foundation
import InterlockTesting
import Synchronization
import Testing

private actor Purse {
  private(set) var coins = 100

  func takeAfterCheck(_ count: Int) async {
    guard coins >= count else { return }
    await Task.yield()
    coins -= count
  }

  func take(_ count: Int) async {
    await Task.yield()
    guard coins >= count else { return }
    coins -= count
  }
}

/// Tests as they are usually written, explored only by the trait.
@Suite(.explored(.budget(.seconds(5)))) struct STExplored {
  private let purse = Purse()

  @Test func overdrawn() async {
    async let one: Void = purse.takeAfterCheck(80)
    async let other: Void = purse.takeAfterCheck(80)
    _ = await (one, other)
    #expect(await purse.coins >= 0)
  }

  @Test(arguments: [80, 30]) func repaired(_ coins: Int) async {
    async let one: Void = purse.take(coins)
    async let other: Void = purse.take(coins)
    _ = await (one, other)
    #expect(await purse.coins >= 0)
  }

  @Test func updateOnThreads() {
    let total = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      let old = total.withLock { $0 }
      total.withLock { $0 = old + 1 }
    }
    #expect(total.withLock { $0 } == 2)
  }

  @Test func deadlocked() async {
    let (one, other) = (NSLock(), NSLock())
    let queues = [(one, other), (other, one)]
    DispatchQueue.concurrentPerform(iterations: 2) { number in
      queues[number].0.withLock { queues[number].1.withLock {} }
    }
  }

  @Test @MainActor func onMainActor() async {
    async let one: Void = Self.write("a")
    async let other: Void = Self.write("b")
    _ = await (one, other)
    #expect(Self.text.count == 2)
    Self.text = ""
  }

  @MainActor private static var text = ""
  @MainActor private static func write(_ letter: String) { text += letter }

  /// Throws if the task comes first.
  @Test func throwing() async throws {
    struct Broken: Error {}
    let task = Task { await purse.take(1) }
    if await purse.coins < 100 { throw Broken() }
    await task.value
  }

  @Test(.explored(.executions(1))) func once() async {
    async let one: Void = purse.take(1)
    async let other: Void = purse.take(1)
    _ = await (one, other)
  }

  @Test func crashes() async {
    let items = [purse]
    let task = Task { await purse.take(1) }
    let index = await purse.coins == 100 ? 0 : 1
    await items[index].take(0)
    await task.value
  }
}

@Suite struct STReplayed {
  private let purse = Purse()

  @Test(.explored(replay: "i1-00000000-w0-a-000000")) func wrongToken() async {
    await purse.take(1)
  }

  @Test(.explored(.budget(.zero))) func wrongBudget() async {
    await purse.take(1)
  }
}

@Suite(.inOneOrder) struct STOneOrder {
  private actor Lines {
    private(set) var text = ""
    func write(_ letter: String) { text += letter }
  }

  private let lines = Lines()

  private func written() async -> String {
    async let one: Void = lines.write("a")
    async let other: Void = lines.write("b")
    _ = await (one, other)
    return await lines.text
  }

  @Test func passing() async {
    let text = await written()
    #expect(text == "ab")
  }

  @Test func failing() async {
    let text = await written()
    #expect(text == "ba")
  }

  @Test func sleeping() async throws {
    let task = Task { try await Task.sleep(for: .seconds(3600)) }
    try await Task.sleep(for: .seconds(1800))
    try await task.value
  }
}
