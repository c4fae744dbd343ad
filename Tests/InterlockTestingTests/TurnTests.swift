import Explorer
import Foundation
import Synchronization
import TestSupport
import Testing

/// Explorations that share a process.
@Suite("an exploration beside another one", .serialized, .controlled, .offThePool)
struct TurnTests {
  private static func body(blocks: Int, locks: Int) -> Bool {
    let lock = NSLock()
    let group = DispatchGroup()
    for _ in 0..<blocks {
      DispatchQueue.global().async(group: group) { for _ in 0..<locks { lock.withLock {} } }
    }
    group.wait()
    return true
  }

  private static func exploration(seconds: Double, slice: Double? = nil) -> Exploration {
    var options = ExplorationOptions()
    options.seconds = seconds
    options.slice = slice
    return Exploration(options, of: "TurnTests")
  }

  @Test("an exploration has the same orders in many slices of its time as in one")
  func slices() throws {
    let whole = try Self.exploration(seconds: 120).run { Self.body(blocks: 3, locks: 2) }
    let sliced = try Self.exploration(seconds: 120, slice: 0.001).run {
      Self.body(blocks: 3, locks: 2)
    }
    guard case .allOrdersPass(let count, 0, _) = whole else {
      Issue.record("not all orders pass: \(whole)")
      return
    }
    #expect(sliced == .allOrdersPass(count: count, leftBehind: 0))
    #expect(count > 50)
  }

  @Test("an unfinished exploration finishes the orders with few preemptions, and names the lock")
  func bounded() throws {
    var sources: [String] = []
    // One preemption has 0.6 s of the 15: enough on a machine that builds something meanwhile.
    let outcome = try Self.exploration(seconds: 15).run {
      Self.body(blocks: 3, locks: 8)
    } notes: {
      if case .sources(let found) = $0 { sources = found }
    }
    guard case .sampled(let count, 0, _, let bound?) = outcome else {
      Issue.record("nothing is finished: \(outcome)")
      return
    }
    #expect(bound.preemptions >= 1)
    #expect(bound.orders > 100 && bound.orders < count)
    // 24! / 8!³ = 9,465,511,770.
    let most = "lock made at TurnTests.swift:11: 24 steps of 3 threads have 10^9 orders"
    #expect(sources.first == most)
  }

  @Test("an exploration counts the executions of all its slices, and estimates by all of them")
  func sampled() throws {
    var options = ExplorationOptions()
    options.strategy = .random
    options.executions = 2000
    options.seconds = 120
    func estimate(slice: Double) throws -> (ExplorationOutcome, ExplorationEstimate?) {
      options.slice = slice
      var estimate: ExplorationEstimate?
      let outcome = try Exploration(options, of: "TurnTests").run {
        Self.body(blocks: 3, locks: 2)
      } notes: {
        if case .estimate(let found) = $0 { estimate = found }
      }
      return (outcome, estimate)
    }
    let whole = try estimate(slice: 120)
    let sliced = try estimate(slice: 0.001)
    #expect(whole.0 == .sampled(count: 2000, leftBehind: 0, escaped: []))
    #expect(sliced.0 == whole.0)
    #expect(sliced.1 == whole.1 && whole.1 != nil)
  }

  @Test("an exploration prints its own time")
  func time() throws {
    let run = try WatchedRun("swift-testing", "ExploredUpdates/repaired", of: "CheckedTests")
    let line = /explore: all 2 orders .*; took (\d+ ms|\d+\.\d s)( and waited .*)?  Explored/
    #expect(run.output.contains(line), "\(run.output)")
  }

  @Test("a small exploration ends before a large one that began earlier, and knows its wait")
  func smallBesideLarge() throws {
    // Relaxed: no other memory depends on the flags.
    let hasBegun = Atomic(false)
    let hasEnded = Atomic(false)
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      _ = try? Self.exploration(seconds: 10).run {
        hasBegun.store(true, ordering: .relaxed)
        return Self.body(blocks: 6, locks: 6)
      }
      hasEnded.store(true, ordering: .relaxed)
      isOver.signal()
    }
    while !hasBegun.load(ordering: .relaxed) { sched_yield() }
    var times: (own: Duration, waited: Duration)?
    let outcome = try Self.exploration(seconds: 10).run {
      Self.body(blocks: 2, locks: 1)
    } notes: {
      if case .time(let own, let waited) = $0 { times = (own, waited) }
    }
    let hadEnded = hasEnded.load(ordering: .relaxed)
    #expect(!hadEnded)
    #expect(outcome == .allOrdersPass(count: 2, leftBehind: 0))
    isOver.wait()
    let (own, waited) = try #require(times)
    #expect(own > .zero && waited > .zero)
  }
}
