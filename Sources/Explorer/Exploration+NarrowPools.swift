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

  /// A body that blocks more tasks at a time needs more threads than most machines have.
  private static var widestNarrowPool: Int { 64 }
}
