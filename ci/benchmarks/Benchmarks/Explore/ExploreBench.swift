import CInterlockEvents
import CInterlockExplorer
import Explorer
import Foundation
import InterlockStress

/// The number of orders that an exploration runs, their cost, and the memory that the search keeps.
enum ExploreBench {
  /// Measures and prints the table. Times are the shortest of several rounds, by the real clock.
  static func run() throws {
    guard interlock_events_available() == INTERLOCK_EVENTS_ALL else {
      print("the calls that wait and wake are not seen in this build")
      return
    }
    print("exploration; the shortest of \(rounds) rounds on one core")
    print("every order that matters, by partial order reduction")
    // Run this first: it reads the peak memory of the whole process.
    memoryOfOrders()
    everyOrder("lock 3 × 3", 1680, within: 10, ExploreBodies.locks(threads: 3, times: 3))
    everyOrder("lock 2 × 4", 70, ExploreBodies.locks(threads: 2, times: 4))
    everyOrder("counter 2 × 6", 328, ExploreBodies.counter(threads: 2, times: 6))
    everyOrder("counter 3 × 4", 7134, ExploreBodies.counter(threads: 3, times: 4))
    print("every order of tasks, as 'explore' runs it")
    for body in ExploreBodies.ofTasks { try tasks(body) }
    print("executions of 'explore', which also looks at each outcome")
    try exploreRate("kept update", "", atLeast: 0, ExploreBodies.keptUpdate)
    try exploreRate("3 tasks × 4 yields", ", ≥ 60,000 /s", atLeast: 60_000, ExploreBodies.yields)
    print("random orders")
    rate(
      "lost update under a lock", "(≥ 700,000 /s)", atLeast: 700_000,
      explorations(100_000, ExploreBodies.lostUpdate) { interlock_random_walk_create(1) })
    rate(
      "3 tasks × 4 yields", "(≥ 200,000 /s)", atLeast: 200_000,
      explorations(50_000, poolWidth: 4, ExploreBodies.yields) { interlock_random_walk_create(1) })
    print("on OS threads, with a hand-over through the kernel")
    rate(
      "lock 3 × 3, every order", "(≥ 15,000 /s)", atLeast: 15_000,
      explorations(10_000, onOSThreads: true, ExploreBodies.locks(threads: 3, times: 3)) {
        interlock_dpor_create(interlock_dpor_options())
      })
    print("the rest")
    memory()
    try shrinking()
    for width: UInt32 in [64, 255] { reads(width: width) }
  }

  private static let rounds = 5

  // MARK: Rows

  private static func everyOrder(
    _ name: String, _ expected: UInt64, within milliseconds: Double? = nil,
    _ body: @escaping @Sendable () -> Bool
  ) {
    let results = explorations(100_000, body) { interlock_dpor_create(interlock_dpor_options()) }
    guard let result = results.first, let shortest = shortest(results) else { return }
    let isExact = results.allSatisfy { $0.executions == expected && $0.is_complete && $0.cut == 0 }
    let time = shortest * 1e3
    EventsBench.line(
      name, "\(result.executions)",
      "(\(expected), \(result.cut) cut off; \(String(format: "%.1f ms", time))"
        + (milliseconds.map { String(format: ", < %.0f ms)", $0) } ?? ")"),
      isExact && time < milliseconds ?? .infinity)
  }

  private static func tasks(_ body: ExploreBodies.OfTasks) throws {
    var time = Duration.seconds(1_000_000)
    var found = "not finished"
    for _ in 0..<rounds {
      let begun = ContinuousClock.now
      let outcome = try Exploration(ExplorationOptions(), of: "bench").run(body.run)
      time = min(time, .now - begun)
      guard case .allOrdersPass(let count, 0, _) = outcome else { break }
      found = "\(count)"
    }
    EventsBench.line(
      body.name, found,
      String(format: "(%d; %.1f ms, < 1 s)", body.orders, time / .milliseconds(1)),
      found == "\(body.orders)" && time < .seconds(1))
  }

  /// The rate of a body that passes, beside that of the engine alone in the same rounds.
  private static func exploreRate(
    _ name: String, _ goal: String, atLeast: Double, _ body: @escaping @Sendable () -> Bool
  ) throws {
    var options = ExplorationOptions()
    options.strategy = .random
    options.executions = 50_000
    options.seconds = 60
    var rate = 0.0
    var engine = 0.0
    for _ in 0..<rounds {
      let begun = ContinuousClock.now
      guard
        case .sampled(let count, 0, _, _) = try Exploration(options, of: "bench").run(body)
      else { return print("  \(name): an order fails") }
      rate = max(rate, Double(count) / ((.now - begun) / .seconds(1)))
      guard let alone = exploration(50_000, body, interlock_random_walk_create(1)) else { return }
      engine = max(engine, Double(alone.executions) * 1e9 / Double(alone.nanoseconds))
    }
    EventsBench.line(
      name, String(format: "%.0f /s", rate),
      String(format: "(%.2f of the engine's %.0f /s, ≥ 0.8%@)", rate / engine, engine, goal),
      rate >= 0.8 * engine && rate >= atLeast)
  }

  private static func rate(
    _ name: String, _ goal: String, atLeast: Double, _ results: [interlock_exploration_result]
  ) {
    guard let result = results.first, let shortest = shortest(results) else { return }
    let rate = Double(result.executions) / shortest
    EventsBench.line(
      name, String(format: "%.0f /s", rate),
      String(
        format: "%@; %.1f steps each)", String(goal.dropLast()),
        Double(result.steps) / Double(result.executions)),
      rate >= atLeast)
  }

  private static func memory() {
    let body = ExploreBodies.keptUpdate
    // Warm up: the first executions allocate what all later ones reuse.
    _ = exploration(10_000, body, interlock_random_walk_create(1))
    guard let before = residentBytes() else { return }
    guard let result = exploration(1_000_000, body, interlock_random_walk_create(2)) else { return }
    let more = Double((residentBytes() ?? before) - before) / 1_048_576
    EventsBench.line(
      "memory over 1,000,000 passing executions", String(format: "%.1f MB", more),
      "(< 5 MB; \(result.failures) of \(result.executions) failed)",
      more < 5 && result.failures == 0 && result.executions == 1_000_000)
  }

  /// The memory that the search takes for the orders that it has still to try.
  private static func memoryOfOrders() {
    let body = ExploreBodies.locks(threads: 2, times: 12)
    // Warm up: the first executions allocate what all later ones reuse.
    _ = exploration(1000, body, interlock_dpor_create(interlock_dpor_options()))
    let before = ReportsBench.usage().mostBytes
    let search = interlock_dpor_create(interlock_dpor_options())
    guard let result = exploration(1_000_000, body, search) else { return }
    let more = Double(ReportsBench.usage().mostBytes - before) / 1_048_576
    EventsBench.line(
      "memory of 1,000,000 orders of lock 2 × 12", String(format: "%.1f MB", more),
      "(< 20 MB; \(result.executions) tried)", more < 20 && result.executions == 1_000_000)
  }

  /// A failure that many switches surround, found at random and then shrunk.
  private static func shrinking() throws {
    var options = ExplorationOptions()
    options.strategy = .random
    let body = ExploreBodies.lostUpdateAmongOthers
    var switches = 0
    var time = Double.infinity
    for _ in 0..<rounds {
      var outcome: ExplorationOutcome?
      let elapsed = try ContinuousClock().measure {
        outcome = try Exploration(options, of: "bench").run(body)
      }
      guard case .failed(let failure) = outcome else {
        print("  the lost update was not found")
        return
      }
      switches = max(switches, failure.schedule.switches)
      time = min(time, elapsed / .seconds(1))
    }
    EventsBench.line(
      "a lost update among 3 threads, shrunk", "\(switches)",
      String(format: "(≤ 3 switches; found, shrunk and shown in %.3f s, < 1 s)", time),
      switches <= 3 && time < 1)
  }

  private static func reads(width: UInt32) {
    let results = explorations(1, poolWidth: width, ExploreBodies.reads) {
      // Without recorded choices, all reads are submitted before the first begins, as in a burst.
      interlock_replay_create(nil, 0)
    }
    guard let shortest = shortest(results) else { return }
    let isStarved = results.allSatisfy {
      $0.verdict == INTERLOCK_EXPLORED_DEADLOCK && $0.dry_pool_width == width
    }
    EventsBench.line(
      "1,000 reads, a pool of \(width), to starvation", String(format: "%.3f s", shortest),
      "(< 1 s\(isStarved ? "" : "; the pool did not dry up"))", isStarved && shortest < 1)
  }

  // MARK: Measuring

  private static func shortest(_ results: [interlock_exploration_result]) -> Double? {
    results.map { Double($0.nanoseconds) / 1e9 }.min()
  }

  private static func explorations(
    _ executions: UInt64, poolWidth: UInt32 = 0, onOSThreads: Bool = false,
    _ body: @escaping @Sendable () -> Bool,
    _ strategy: () -> UnsafeMutablePointer<interlock_strategy>?
  ) -> [interlock_exploration_result] {
    (0..<rounds).compactMap { _ in
      exploration(
        executions, poolWidth: poolWidth, onOSThreads: onOSThreads, body, strategy())
    }
  }

  /// One exploration with at most this many executions; its two warm-up executions are not counted.
  private static func exploration(
    _ executions: UInt64, poolWidth: UInt32 = 0, onOSThreads: Bool = false,
    _ body: @escaping @Sendable () -> Bool, _ strategy: UnsafeMutablePointer<interlock_strategy>?
  ) -> interlock_exploration_result? {
    guard let strategy else { return nil }
    defer { strategy.pointee.destroy(strategy) }
    var options = interlock_exploration_options()
    options.executions = executions
    options.warm_ups = 2
    options.keeps_going = true
    options.pool_width = poolWidth
    options.uses_os_threads = onOSThreads
    var result = interlock_exploration_result()
    let status = withUnsafePointer(to: body) { pointer in
      interlock_explore(
        &options, { $0!.assumingMemoryBound(to: (@Sendable () -> Bool).self).pointee() },
        UnsafeMutableRawPointer(mutating: pointer), strategy, &result)
    }
    return status == INTERLOCK_EXPLORE_RAN && !result.must_begin_anew ? result : nil
  }
}
