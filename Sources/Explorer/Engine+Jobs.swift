internal import CInterlockExplorer

/// Exploration in several processes at once.
extension Engine {
  /// The number of orders that one process tries first. A body with fewer orders is done before
  /// another process could start, and its result does not depend on the number of processes.
  static var ordersBeforeJobs: Int { 250 }

  /// Why this engine uses one process although several were asked for; `nil` if it uses several, or
  /// only one was asked for.
  var reasonForOneProcess: String? {
    guard (options.jobs ?? 1) > 1 else { return nil }
    if isolatesEach { return "each order has one of its own" }
    return switch options.strategy {
    case .depthFirst: "depth-first search has no parts"
    case .roundRobin, .inTurn: "the strategy has no parts"
    case .everyOrder, .random, .pct, .pos, .surw: nil
    }
  }

  /// True if several processes explore the phase, each a part of it.
  func spreads(_ phase: Phase) -> Bool {
    (options.jobs ?? 1) > 1 && !isolatesEach && phase.hasParts && inOneProcess == nil
  }

  /// Explores a phase in several processes, after this process has executed its first orders.
  ///
  /// - Returns: The summed result of all processes; `nil` if nothing is left to explore, or if no
  ///   process could be started.
  /// - Throws: Why nothing was explored.
  mutating func exploreInJobs(
    _ phase: Phase, seconds: Double, most: Int, after first: interlock_exploration_result,
    _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> interlock_exploration_result? {
    let isOver = first.failures > 0 || first.must_begin_anew || first.is_complete
    let left = seconds - Double(first.nanoseconds) / 1e9
    // Samples of this process count. Other orders do not: some process executes them again.
    let counted = phase.isSampling ? Int(first.executions) : 0
    let limit = most == .max ? nil : most - counted
    let hasEnough = first.executions < Self.ordersBeforeJobs || most <= Self.ordersBeforeJobs
    if isOver || hasEnough || left < 0.01 { return nil }
    guard let jobs = Jobs(phase, options) else {
      throw ExplorationRefusal(description: "there is no memory for the strategy")
    }
    defer { jobs.destroy() }
    var result: interlock_exploration_result
    do throws(ExplorationRefusal) {
      result = try explore(
        jobs.strategies[0], seconds: left, most: limit, isReplay: false,
        estimates: phase.isSampling, after: UInt64(counted), jobs: jobs, body)
    } catch {
      guard error == .noChild else { throw error }
      inOneProcess = error.description
      return nil
    }
    if phase.isSampling {
      result.executions += first.executions
      result.cut += first.cut
      result.left_behind += first.left_behind
    } else {
      // Do not count executions that were cut off because their order belongs to another process.
      result.executions -= result.cut
      result.cut = 0
    }
    result.nanoseconds += first.nanoseconds
    result.addFacts(of: first)
    result.most_task_threads = max(result.most_task_threads, first.most_task_threads)
    return result
  }

  /// One strategy for each process, and the memory that the processes share.
  struct Jobs {
    let strategies: [UnsafeMutablePointer<interlock_strategy>]
    private let shared: OpaquePointer
    private let takesParts: Bool

    /// Returns `nil` if there is no memory.
    init?(_ phase: Phase, _ options: ExplorationOptions) {
      guard let shared = interlock_jobs_create() else { return nil }
      self.shared = shared
      if case .everyOrder = phase { takesParts = true } else { takesParts = false }
      var strategies: [UnsafeMutablePointer<interlock_strategy>] = []
      for job in 0..<min(options.jobs ?? 1, Int(INTERLOCK_JOBS_MOST)) {
        guard
          let strategy = phase.makeStrategy(seed: options.seed, part: options.part, job: job)
        else { break }
        if takesParts { interlock_dpor_share(strategy, shared, UInt32(job)) }
        strategies.append(strategy)
      }
      self.strategies = strategies
      if strategies.isEmpty {
        interlock_jobs_destroy(shared)
        return nil
      }
    }

    func destroy() {
      for strategy in strategies { strategy.pointee.destroy(strategy) }
      interlock_jobs_destroy(shared)
    }

    func run(
      _ options: UnsafePointer<interlock_exploration_options>,
      _ body: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Bool,
      _ context: UnsafeMutableRawPointer?,
      _ result: UnsafeMutablePointer<interlock_exploration_result>
    ) -> interlock_explore_status {
      strategies.map(Optional.init).withUnsafeBufferPointer { strategies in
        interlock_explore_in_jobs(
          options, body, context, strategies.baseAddress, UInt32(strategies.count), shared,
          takesParts, result)
      }
    }
  }
}

extension interlock_exploration_result {
  /// Adds the facts of a part that hold of the whole exploration as soon as they hold of one part.
  mutating func addFacts(of part: interlock_exploration_result) {
    bounds_sleeps = bounds_sleeps || part.bounds_sleeps
    bounds_yields = bounds_yields || part.bounds_yields
    uses_time = uses_time || part.uses_time
    bounds_loops = bounds_loops || part.bounds_loops
    bounds_wake_ups = bounds_wake_ups || part.bounds_wake_ups
    bounds_exchanges = bounds_exchanges || part.bounds_exchanges
    has_unread_exchanges = has_unread_exchanges || part.has_unread_exchanges
    bounds_waiters = bounds_waiters || part.bounds_waiters
    strengthens_atomics = strengthens_atomics || part.strengthens_atomics
    tasks_block = tasks_block || part.tasks_block
    failed_first = failed_first || part.failed_first
  }
}
