internal import CInterlockExplorer

/// Exploring in several processes at once.
extension Engine {
  /// A body with fewer orders takes no longer than the start of a process does, and its answer is
  /// that of one process.
  static var ordersBeforeJobs: Int { 250 }

  /// Why this engine leaves an exploration to one process; `nil` where it does not, or is asked for
  /// one.
  var reasonForOneProcess: String? {
    guard (options.jobs ?? 1) > 1 else { return nil }
    if isolatesEach { return "each order has one of its own" }
    return switch options.strategy {
    case .depthFirst: "depth-first search has no parts"
    case .roundRobin, .inTurn: "the strategy has no parts"
    case .everyOrder, .random, .pct, .pos, .surw: nil
    }
  }

  /// Whether several processes explore a phase, each its part.
  func spreads(_ phase: Phase) -> Bool {
    (options.jobs ?? 1) > 1 && !isolatesEach && phase.hasParts && inOneProcess == nil
  }

  /// Explores a phase in several processes, of which `first` were its first orders in this one.
  ///
  /// - Returns: The result of all processes; `nil` if there is nothing left to explore, or if none
  ///   could be started.
  /// - Throws: Why nothing was explored.
  mutating func exploreInJobs(
    _ phase: Phase, seconds: Double, most: Int, after first: interlock_exploration_result,
    _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> interlock_exploration_result? {
    let isOver = first.failures > 0 || first.must_begin_anew || first.is_complete
    let left = seconds - Double(first.nanoseconds) / 1e9
    // What it has executed by itself is sampled, or executed again as some process's part.
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
      // Without the beginnings of orders that other processes have.
      result.executions -= result.cut
      result.cut = 0
    }
    result.nanoseconds += first.nanoseconds
    result.addFacts(of: first)
    result.most_task_threads = max(result.most_task_threads, first.most_task_threads)
    return result
  }

  /// A strategy for each process, and what the processes share.
  struct Jobs {
    let strategies: [UnsafeMutablePointer<interlock_strategy>]
    private let shared: OpaquePointer
    private let takesParts: Bool

    /// `nil` if there is no memory.
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
  /// Adds the facts that hold of the whole exploration if they hold of one part of it.
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
