import Foundation
import Synchronization
import Testing

private actor Purse {
  private(set) var coins = 100

  func takeAfterCheck(_ count: Int) async {
    guard coins >= count else { return }
    await Task.yield()
    coins -= count
  }

  func take(_ count: Int) {
    guard coins >= count else { return }
    coins -= count
  }
}

private func takeTwice(_ purse: Purse, _ coins: Int) async {
  async let one: Void = purse.take(coins)
  async let other: Void = purse.take(coins)
  _ = await (one, other)
}

/// Tests that do not use Interlock. Each usually passes.
@Suite(.timeLimit(.minutes(1))) struct STAsTheyAre {
  private let purse = Purse()

  /// Fails if the task is late.
  @Test func lateTask() async {
    let task = Task { await purse.take(80) }
    for _ in 0..<20 { await Task.yield() }
    #expect(await purse.coins == 20)
    await task.value
  }

  /// Fails if the sleep ends before the task has taken the coins.
  @Test func lateCheck() async {
    let first = Task { await purse.takeAfterCheck(80) }
    try? await Task.sleep(for: .milliseconds(50))
    await purse.takeAfterCheck(80)
    await first.value
    #expect(await purse.coins == 20)
  }

  @Test func plain() async {
    await takeTwice(purse, 80)
    #expect(await purse.coins == 20)
  }

  @Test("with arguments", arguments: [80, 30]) func arguments(_ coins: Int) async {
    await takeTwice(purse, coins)
    #expect(await purse.coins >= 0)
  }

  @Test(arguments: [10, 20], [30, 40]) func twoArguments(_ one: Int, _ other: Int) async {
    await takeTwice(purse, one + other)
    #expect(await purse.coins >= 0)
  }

  @Test(arguments: zip([10, 20], [30, 40])) func pairs(_ one: Int, _ other: Int) async {
    await takeTwice(purse, one + other)
    #expect(await purse.coins >= 0)
  }

  @Test(arguments: [10: "ten", 20: "twenty"]) func dictionary(_ coins: Int, _ name: String) async {
    await takeTwice(purse, coins + name.count)
    #expect(await purse.coins >= 0)
  }

  @Test(.timeLimit(.minutes(1))) @MainActor func onMainActor() async throws {
    try await Task.sleep(for: .seconds(1))
    await takeTwice(purse, 80)
    #expect(await purse.coins == 20)
  }

  @Test func knownIssue() async {
    await withKnownIssue { #expect(await purse.coins == 0) }
  }

  @Test func confirmed() async {
    await confirmation(expectedCount: 2) { taken in
      async let one: Void = purse.take(1)
      async let other: Void = purse.take(1)
      _ = await (one, other)
      taken(count: 2)
    }
  }

  @Test(.disabled()) func disabled() { Issue.record("it runs") }

  private static let runs = Mutex(0)

  /// Makes a different number of tasks in each run within one process.
  @Test func countsRuns() async {
    for _ in 0..<Self.nextRun() { await takeTwice(purse, 1) }
  }

  private static func nextRun() -> Int {
    runs.withLock {
      $0 += 1
      return $0
    }
  }

  /// Makes its tasks at different steps in each process, and in each run within one process.
  @Test func notDeterministic() async {
    let number = Int(getpid()) + Self.nextRun()
    for bit in 0..<16 {
      if number >> bit & 1 == 1 { await takeTwice(purse, 1) } else { await purse.take(1) }
    }
  }

  /// The process answers by itself, and no exploration controls it.
  @Test func withProcess() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/echo")
    process.arguments = ["answer"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let answer = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: answer, as: UTF8.self) == "answer\n")
  }
}
