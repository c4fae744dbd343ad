import Foundation
import InterlockTesting
import TestSupport
import Testing

/// Tasks that block their threads until a task has run.
private enum Bodies {
  static func waitForTask() {
    let hasRun = DispatchSemaphore(value: 0)
    Task { hasRun.signal() }
    hasRun.wait()
  }

  static func waits(_ tasks: Int) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<tasks { group.addTask { waitForTask() } }
    }
  }
}

/// What the answer says of narrow pools, for bodies that pass on a wide pool.
@Suite("a pool that tasks use up", .serialized, .controlled, .offThePool)
struct NarrowPoolTests {
  @Test("a used-up pool fails, and the answer has the least sufficient width", arguments: [1, 2])
  func smallest(_ tasks: Int) async throws {
    let text = try #require(await failure(ofAsync: { await Bodies.waits(tasks) }))
    let machines = ", where tasks have 1 thread; \(tasks + 1) suffice (order number "
    #expect(text.contains(machines), "\(text)")
    // Tasks that the blocked task made have numbers after all tasks that have begun.
    for task in 2...tasks + 1 {
      #expect(text.contains("\n  task \(task) waits for a thread of the pool\n"), "\(text)")
    }
    #expect(!text.contains("suspended"), "\(text)")
  }

  @Test("blocks of Dispatch that wait for tasks leave the tasks no thread of their pool")
  func shared() throws {
    func waits(_ blocks: Int) {
      let group = DispatchGroup()
      for _ in 0..<blocks { DispatchQueue.global().async(group: group) { Bodies.waitForTask() } }
      group.wait()
    }
    let begun = ContinuousClock.now
    let text = try #require(failure(.budget(.seconds(60))) { waits(255) })
    // Found before the search on a wide pool, which takes half of the budget.
    #expect(.now - begun < .seconds(30))
    let pool = ", where tasks and Dispatch's blocks share 255 threads (order number "
    #expect(text.contains(pool), "\(text)")
    #expect(failure(.executions(20)) { waits(20) } == nil)
  }

  @Test("a narrow pool is tried before the search on a wide pool ends if the first order blocks")
  func early() async throws {
    let begun = ContinuousClock.now
    let text = try #require(
      await failure(.budget(.seconds(60)), ofAsync: { await Bodies.waits(40) }))
    #expect(.now - begun < .seconds(30))
    #expect(text.contains(", where tasks have 1 thread"), "\(text)")
  }

  /// With as many threads as tasks, no task waits for a thread: this width needs no search.
  @Test("the answer has a larger sufficient width if the smaller ones are too much work")
  func sufficient() async throws {
    let text = try #require(
      await failure(.executions(300), ofAsync: { await Bodies.waits(3) }))
    let machines = ", where tasks have 1 thread; 7 suffice, and fewer may (order number "
    #expect(text.contains(machines), "\(text)")
  }
}
