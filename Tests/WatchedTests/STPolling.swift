import Foundation
import InterlockTesting
import Testing

private actor Feed {
  private(set) var items: [Int] = []
  func put(_ item: Int) { items.append(item) }
}

@MainActor private final class Model {
  private(set) var items: [Int] = []

  func load() {
    Task {
      await Task.yield()
      items = [1]
    }
  }
}

/// Tests that yield until another task or thread has made a change.
@Suite(.explored(.budget(.seconds(60)))) struct STPolling {
  @Test func actor() async {
    let feed = Feed()
    Task { await feed.put(1) }
    while await feed.items.isEmpty { await Task.yield() }
    #expect(await feed.items == [1])
  }

  @Test func actorWithLimit() async {
    let feed = Feed()
    Task { await feed.put(1) }
    for _ in 0..<1000 where await feed.items.isEmpty { await Task.yield() }
    #expect(await feed.items == [1])
  }

  @MainActor @Test func mainActor() async {
    let model = Model()
    model.load()
    while model.items.isEmpty { await Task.yield() }
    #expect(model.items == [1])
  }

  @MainActor @Test func mainActorWithLimit() async {
    let model = Model()
    model.load()
    for _ in 0..<1000 where model.items.isEmpty { await Task.yield() }
    #expect(model.items == [1])
  }

  @Test func twoPollers() async {
    let (one, other) = (Feed(), Feed())
    async let answer: Void = {
      while await one.items.isEmpty { await Task.yield() }
      await other.put(2)
    }()
    await one.put(1)
    while await other.items.isEmpty { await Task.yield() }
    _ = await answer
    #expect(await other.items == [2])
  }

  @Test func threads() {
    let (lock, group) = (NSLock(), DispatchGroup())
    nonisolated(unsafe) var isDone = false
    DispatchQueue.global().async(group: group) { lock.withLock { isDone = true } }
    while !lock.withLock({ isDone }) { sched_yield() }
    group.wait()
  }

  /// The other task may need more time than two yields.
  @Test func twoRounds() async {
    let feed = Feed()
    Task { await feed.put(1) }
    for _ in 0..<2 where await feed.items.isEmpty { await Task.yield() }
    #expect(await feed.items == [1])
  }
}
