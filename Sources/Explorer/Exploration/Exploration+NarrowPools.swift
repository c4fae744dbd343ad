internal import CInterlockExplorer

/// Tests whether tasks that block their threads can exhaust a pool. Swift's task pool has one
/// thread per processor, and never grows.
extension Exploration {
  /// Explores on pools of 1, 2, … threads, up to a width that the body cannot exhaust.
  ///
  /// - Parameters:
  ///   - passed: The outcome on a pool with room for all tasks.
  ///   - engine: The engine that explored it.
  ///   - seconds: The rest of the budget.
  ///   - body: The body to explore.
  /// - Returns: The failing order on the narrowest pool that has one, or `passed`.
  /// - Throws: Why nothing was explored.
  func tryNarrowPools(
    after passed: ExplorationOutcome, _ engine: inout Engine, seconds: Double,
    _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    if case .failed = passed { return passed }
    guard options.poolWidth == nil, options.part?.number ?? 1 == 1 else { return passed }
    // A pool with one thread for each task is equivalent to the one on which all orders passed.
    var enough: Int?
    if case .allOrdersPass = passed { enough = max(1, engine.mostTaskThreads) }
    var failed: ExplorationFailure?
    // True while each narrower pool has either failed or had all its orders executed.
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
        // Once a pool has failed, spend little time on the number of threads that suffices.
        let isQuick = failed != nil && enough == nil
        let most = isQuick ? min(left / 2, options.seconds / 20) : left / 2
        let narrow = onPool(taskWidth: width, seconds: most, after: engine)
        var own = Engine(narrow.options, of: name, around: around, state: state)
        switch try narrow.search(&own, body) {
        case .failed(var failure):
          failure.narrowPool = .init(width: width)
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

  /// Explores with tasks and blocks on one pool, which has as many threads as Dispatch on Linux.
  ///
  /// - Parameters:
  ///   - passed: The outcome with a separate pool for tasks.
  ///   - engine: The engine that explored it.
  ///   - seconds: The rest of the budget; one order is tried if nothing is left.
  ///   - orders: The most orders to execute; `nil` leaves the limit of the options.
  ///   - body: The body to explore.
  /// - Returns: The failing order; the shared pool's outcome if that is sampled and `passed` is
  ///   not; otherwise `passed`.
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
      failure.narrowPool = .init(width: Int(INTERLOCK_DISPATCH_POOL_WIDTH), isShared: true)
      return .failed(failure)
    case (.sampled, .allOrdersPass): return outcome
    default: return passed
    }
  }

  /// True if the first order deadlocks with this many threads for tasks.
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

  /// Returns this exploration with other pool widths and the executions that `engine` has left.
  func onPool(
    width: Int? = nil, taskWidth: Int? = nil, seconds: Double, after engine: Engine
  ) -> Exploration {
    var other = self
    other.options.poolWidth = width
    other.options.taskWidth = taskWidth
    other.options.seconds = seconds
    other.options.corpus = nil
    // Skip the state check in this process: the executions on the wide pool have made it.
    other.options.checksState = options.isIsolated
    other.options.part = nil
    other.options.executions = options.executions.map { max(1, $0 - engine.executions) }
    return other
  }

  /// The widest pool tried. A wider one has more threads than most machines have processors.
  private static var widestNarrowPool: Int { 64 }
  /// Above this width, once a pool has failed and the wide pool has not executed all orders, each
  /// pool is twice as wide as the last.
  private static var widestInSteps: Int { 8 }
}
