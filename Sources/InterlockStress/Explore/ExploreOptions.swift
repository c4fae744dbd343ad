import Explorer
import Interlock
import StressRunner

extension CommandName {
  /// The options of `explore`, including those that `pool` shares.
  static let exploreOptions: [Row] = [
    (
      [.explore],
      Option(
        "strategy", .strategy, \.strategy, replay: .repeatsForSearch,
        "What chooses the orders: {values}. N is the most preemptions of dfs, and the"
          + " depth of pct, 1 to 32.",
        default: "every-order, and sampling in the second half of the budget")
    ),
    (
      [.explore, .pool],
      Option(
        "budget", .budget, \.budget, replay: .repeatsForSearch,
        "How long to explore each pair of scenario and subject, as in 30s, or how many orders to"
          + " execute, as in 5000.",
        default: "10s; for 'pool', 2s for each width")
    ),
    (
      [.explore],
      Option(
        "pool-width", .whole(Limits.poolWidthRange), \.poolWidth, replay: .repeatsForSearch,
        "How many threads a pool has, {values}.",
        default: "each scenario's own, or 255 for Dispatch, and room for all tasks")
    ),
    (
      [.explore],
      Option(
        flag: "exact-time",
        "Let time pass only when no thread can continue, in the order of the times. Otherwise a"
          + " sleep, a delay or a timer may end late, which is a choice."
      ) { $0.hasExactTime = true }
    ),
    (
      [.explore],
      Option(
        "memory-model", .memoryModel, \.memoryModel, replay: .repeatsForSearch,
        "What a load of an atomic may read: weak is each store that the memory orders allow, as ARM"
          + " and compilers do. For programs whose memory is checked.",
        default: "sequential")
    ),
    (
      [.explore],
      Option(
        "replay", .text("token"), \.token, replay: .leavesOut,
        "Execute only the order of this token, which a failure shows.")
    ),
    (
      [.explore],
      Option(
        flag: "isolate",
        "Run each order in a child process of its own, so that globals begin anew; it takes some"
          + " milliseconds for each."
      ) { $0.isolates = true }
    ),
    (
      [.explore],
      Option(
        flag: "explain-orders",
        "Say where the orders come from: the objects whose steps have the most orders, by the line"
          + " that made each."
      ) { $0.explainsOrders = true }
    ),
    (
      [.explore],
      Option(
        "corpus", .path("folder"), \.corpus, replay: .leavesOut,
        "Keep failing orders in this folder, a file for each pair of scenario and subject, and try"
          + " them first next time. One that passes is removed.")
    ),
    (
      [.pool],
      Option(
        flag: "real",
        "Run real pools of each width, once, instead of exploring."
      ) { $0.usesRealPools = true }
    ),
  ]
}

extension ValueFormat<ExplorationOptions.Strategy> {
  /// A strategy by its name, with a number if it takes one.
  static var strategy: ValueFormat {
    ValueFormat(
      "strategy", summary: "every-order, dfs, dfs:N, random, pct:N, pos, surw, round-robin",
      expected: "every-order, dfs, dfs:N, random, pct:N (N from 1 to 32), pos, surw or round-robin"
    ) { text in
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let number = parts.count > 1 ? parts.last.flatMap { UInt32($0) }.map(Int.init) : nil
      switch (parts[0], parts.count, number) {
      case ("every-order", 1, _): return .everyOrder
      case ("dfs", 1, _): return .depthFirst(preemptions: nil)
      case ("dfs", 2, let bound?): return .depthFirst(preemptions: bound)
      case ("random", 1, _): return .random
      case ("pct", 2, let depth?) where (1...32).contains(depth): return .pct(depth: depth)
      case ("pos", 1, _): return .pos
      case ("surw", 1, _): return .surw
      case ("round-robin", 1, _): return .roundRobin
      default: return nil
      }
    }
  }
}

extension ValueFormat<ExplorationOptions.MemoryModel> {
  /// A memory model by its name.
  static var memoryModel: ValueFormat {
    ValueFormat("model", summary: "sequential, weak", expected: "sequential or weak") {
      ExplorationOptions.MemoryModel(rawValue: $0)
    }
  }
}

extension ValueFormat<Options.Budget> {
  /// A number of seconds with its unit, or a number of orders.
  static var budget: ValueFormat {
    ValueFormat(
      "budget",
      expected: "seconds as in 30s (0.01s to 86400s), or a number of orders as in 5000 (1 or more)"
    ) { text in
      if text.hasSuffix("s") {
        return Double(text.dropLast()).flatMap {
          (0.01...86400).contains($0) ? .seconds($0) : nil
        }
      }
      return Int(text).flatMap { $0 > 0 ? .orders($0) : nil }
    }
  }
}

extension Options {
  /// Creates the exploration that the options request.
  ///
  /// - Parameters:
  ///   - scenario: The scenario. Its pool width is used unless an option gives one.
  ///   - seed: The seed of random choices.
  ///   - seconds: The budget if no option gives one.
  /// - Returns: The request for the trial's child.
  func exploreRequest(of scenario: Scenario, seed: UInt64, seconds: Double = 10) -> ExploreRequest {
    var request = ExploreRequest(token: token)
    if let strategy { request.options.strategy = strategy }
    request.options.seconds = seconds
    switch budget {
    case .seconds(let seconds): request.options.seconds = seconds
    case .orders(let count):
      request.options.executions = max(1, count / shard.count)
      // Set no practical time limit: the number of orders is the limit.
      request.options.seconds = 86400
    case nil: break
    }
    request.options.poolWidth = poolWidth ?? scenario.poolWidth
    request.options.seed = seed
    request.options.hasExactTime = hasExactTime
    request.options.memoryModel = memoryModel ?? .sequential
    request.options.corpus = corpus
    if explainsOrders { request.options.explainsOrders = true }
    (request.options.isIsolated, request.options.isolatesEach) = (isolates, isolates)
    return request
  }
}
