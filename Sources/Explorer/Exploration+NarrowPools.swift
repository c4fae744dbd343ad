internal import CInterlockExplorer

/// Whether tasks that block their threads can use up a pool. Swift's pool of tasks has as many
/// threads as the machine has processors, and never grows.
extension Exploration {
  /// Explores on pools of 1, 2, … threads, up to the width that the body cannot use up.
  ///
  /// - Parameters:
  ///   - passed: The outcome on a pool with room for all tasks.
  ///   - engine: The engine that explored it.
  ///   - seconds: What is left of the budget.
  ///   - body: What is explored.
  /// - Returns: The failing order on the narrowest pool that has one, or else the outcome so far.
  /// - Throws: Why nothing was explored.
  func tryNarrowPools(
    after passed: ExplorationOutcome, _ engine: inout Engine, seconds: Double,
    _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    if case .failed = passed { return passed }
    guard options.poolWidth == nil, options.part?.number ?? 1 == 1 else { return passed }
    // With a thread for each of its tasks, a pool is as good as the one on which all orders passed.
    var enough: Int?
    if case .allOrdersPass = passed { enough = max(1, engine.mostTaskThreads) }
    var failed: ExplorationFailure?
    // All orders of the narrower pools were tried, or one of each fails.
    var isFinished = true
    var left = seconds
    var width = 1
    while width != enough, failed?.narrowPool?.sufficientWidth == nil {
      guard left > 0, width <= Self.widestNarrowPool else {
        isFinished = false
        break
      }
      let begun = ContinuousClock.now
      var narrow = self
      narrow.options.taskWidth = width
      narrow.options.seconds = left / 2
      narrow.options.corpus = nil
      narrow.options.part = nil
      if let most = options.executions {
        guard most > engine.executions else {
          isFinished = false
          break
        }
        narrow.options.executions = most - engine.executions
      }
      var own = Engine(narrow.options, of: name, around: around, state: state)
      switch try narrow.search(&own, body) {
      case .failed(var failure):
        failure.narrowPool = ExplorationFailure.NarrowPool(width: width)
        failed = failed ?? failure
      case .allOrdersPass:
        failed?.narrowPool?.sufficientWidth = width
        failed?.narrowPool?.sufficientIsSmallest = isFinished
      case .sampled: isFinished = false
      }
      left -= (.now - begun - own.waited) / .seconds(1)
      engine.waited += own.waited
      width += 1
    }
    if var failed {
      if failed.narrowPool?.sufficientWidth == nil, let enough {
        failed.narrowPool?.sufficientWidth = enough
        failed.narrowPool?.sufficientIsSmallest = isFinished
      }
      return .failed(failed)
    }
    guard case .allOrdersPass(let count, let leftBehind, var limits) = passed else { return passed }
    limits.leavesOutNarrowPools = !isFinished
    return .allOrdersPass(count: count, leftBehind: leftBehind, limits: limits)
  }

  /// Explores on one pool for tasks and blocks, of as many threads as Dispatch has on Linux.
  ///
  /// - Parameters:
  ///   - passed: The outcome where tasks have threads of their own.
  ///   - engine: The engine that explored it.
  ///   - seconds: What is left of the budget; one order is tried if nothing is.
  ///   - body: What is explored.
  /// - Returns: The failing order, or else the outcome so far. It is of a sample if that of the
  ///   shared pool is.
  /// - Throws: Why nothing was explored.
  func trySharedPool(
    after passed: ExplorationOutcome, _ engine: inout Engine, seconds: Double,
    _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    if case .failed = passed { return passed }
    guard options.poolWidth == nil, options.part?.number ?? 1 == 1 else { return passed }
    var shared = self
    shared.options.poolWidth = Int(INTERLOCK_DISPATCH_POOL_WIDTH)
    shared.options.seconds = max(seconds, 0)
    shared.options.corpus = nil
    shared.options.part = nil
    if let most = options.executions {
      shared.options.executions = max(1, most - engine.executions)
    }
    var own = Engine(shared.options, of: name, around: around, state: state)
    let outcome = try shared.search(&own, body)
    engine.waited += own.waited
    switch (outcome, passed) {
    case (.failed(var failure), _):
      failure.narrowPool = ExplorationFailure.NarrowPool(
        width: Int(INTERLOCK_DISPATCH_POOL_WIDTH), isShared: true)
      return .failed(failure)
    case (.sampled, .allOrdersPass): return outcome
    default: return passed
    }
  }

  /// A body that blocks more tasks at a time needs more threads than most machines have.
  private static var widestNarrowPool: Int { 64 }
}
