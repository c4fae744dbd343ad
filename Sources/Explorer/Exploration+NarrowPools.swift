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
    while width < enough ?? .max, failed?.narrowPool?.sufficientWidth == nil {
      guard left > 0, width <= Self.widestNarrowPool else {
        isFinished = false
        break
      }
      let begun = ContinuousClock.now
      if let most = options.executions, most <= engine.executions {
        isFinished = false
        break
      }
      let waitedBefore = engine.waited
      var isTooNarrow = false
      if failed != nil {
        isTooNarrow = try firstOrderDeadlocks(onThreads: width, &engine, body)
      }
      if !isTooNarrow {
        // How many threads suffice for a large body is worth less time than whether a pool fails.
        let isQuick = failed != nil && enough == nil
        let most = isQuick ? min(left / 2, options.seconds / 20) : left / 2
        let narrow = onPool(taskWidth: width, seconds: most, after: engine)
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
        engine.waited += own.waited
      }
      left -= (.now - begun - (engine.waited - waitedBefore)) / .seconds(1)
      let skips = failed != nil && enough == nil && width >= Self.widestInSteps
      width += skips ? width : 1
      if skips { isFinished = false }
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
  ///   - orders: The most orders to execute; `nil` for no limit but that of the options.
  ///   - body: What is explored.
  /// - Returns: The failing order, or else the outcome so far. It is of a sample if that of the
  ///   shared pool is.
  /// - Throws: Why nothing was explored.
  func trySharedPool(
    after passed: ExplorationOutcome, _ engine: inout Engine, seconds: Double, orders: Int? = nil,
    _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    if case .failed = passed { return passed }
    guard options.poolWidth == nil, options.part?.number ?? 1 == 1 else { return passed }
    var shared = onPool(
      width: Int(INTERLOCK_DISPATCH_POOL_WIDTH), seconds: max(seconds, 0), after: engine)
    if let orders { shared.options.executions = orders }
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

  /// Whether the first order of a body is a deadlock if its tasks have this many threads.
  func firstOrderDeadlocks(
    onThreads width: Int, _ engine: inout Engine, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> Bool {
    var narrow = onPool(taskWidth: width, seconds: 0, after: engine)
    narrow.options.executions = 1
    var own = Engine(narrow.options, of: name, around: around, state: state)
    let result = try own.run(.everyOrder(seconds: 0), body)
    engine.waited += own.waited
    return result.verdict == INTERLOCK_EXPLORED_DEADLOCK
  }

  /// This exploration on pools of other widths, with what an engine has left of its executions.
  func onPool(
    width: Int? = nil, taskWidth: Int? = nil, seconds: Double, after engine: Engine
  ) -> Exploration {
    var other = self
    other.options.poolWidth = width
    other.options.taskWidth = taskWidth
    other.options.seconds = seconds
    other.options.corpus = nil
    // In this process, the wide pool's executions have shown whether the body leaves state behind.
    other.options.checksState = options.isIsolated
    other.options.part = nil
    other.options.executions = options.executions.map { max(1, $0 - engine.executions) }
    return other
  }

  /// A body that blocks more tasks at a time needs more threads than most machines have.
  private static var widestNarrowPool: Int { 64 }
  /// From this width on, each pool has twice as many threads as the last if one has failed, and the
  /// wide pool has too many orders to finish.
  private static var widestInSteps: Int { 8 }
}
