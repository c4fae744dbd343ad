internal import CInterlockExplorer
import Interlock
import Hangs

/// Runs the exploration engine in C, and keeps what it learns about a body.
struct Engine {
  private(set) var options: ExplorationOptions
  private let name: String
  private let around: Surroundings?
  /// Facts that executions have shown (`INTERLOCK_FACT_…`); some make more operations points. A
  /// replay needs the same facts.
  private(set) var facts: UInt32
  /// The memory accesses that are points. A replay needs the same points.
  private(set) var points: AccessPoints
  /// The number of executions so far, without replays.
  private(set) var executions = 0
  /// The number of threads still blocked when the body returned, summed over all executions.
  private(set) var leftBehind = 0
  /// The bounds that excluded orders.
  private(set) var limits = ExplorationLimits()
  /// True if a task has blocked its thread.
  private(set) var tasksBlock = false
  /// The most threads that the tasks of one execution can use.
  private(set) var mostTaskThreads = 0
  /// True if as many Dispatch blocks were running as Dispatch has threads.
  private var blocksFillPool = false
  /// True if tasks ran, and blocks can occupy all Dispatch threads. The engine gives tasks and
  /// blocks separate pools; on Linux, and within Apple's thread limit, waiting blocks take threads
  /// from tasks.
  var blocksCanStarveTasks: Bool { blocksFillPool && mostTaskThreads > 0 }
  /// True if the body failed in its first execution, the warm-up, which is not counted.
  private(set) var failedFirst = false
  /// The names of the operations that escaped control.
  private(set) var escaped: Set<String> = []
  /// The estimate of the last sampling phase; `nil` if none ran.
  private(set) var estimate: ExplorationEstimate?
  /// True if the last executions shared one process.
  private var hasShared = false
  /// The largest bound within which all orders were executed, with the facts and points known then.
  private var finished: (bound: ExplorationBound, facts: UInt32, points: AccessPoints)?
  /// Why the order of sections is unknown; `nil` if it is known or there are no sections.
  private(set) var orderUnknown: String?
  /// Where the last replay departed from its choices; `nil` if it followed them.
  private(set) var divergence: String?
  /// Inspects a deadlock while its threads hold and wait; `nil` for no inspection.
  var witness: DeadlockWitness?
  /// The body's state in memory, which a child process sends to this one.
  private let state: ExploredState?
  /// True if a race by the order of sections could not be decided.
  private var hasUndecided = false
  /// True if that undecided race was found in a child process.
  private var ignoresOrder = false
  /// The time that other explorations took between the slices of this one.
  var waited = Duration.zero
  /// The race of the last run, if a child process found it.
  private(set) var race: SectionRace?
  /// Why one process explores although several were asked for; `nil` otherwise.
  var inOneProcess: String?

  /// Creates an engine with the facts and points that earlier executions have shown.
  init(
    _ options: ExplorationOptions, of name: String, around: Surroundings?, state: ExploredState?,
    facts: UInt32 = 0, points: AccessPoints = AccessPoints()
  ) {
    self.options = options
    self.name = name
    self.around = around
    self.state = state
    self.facts = facts
    self.points = points
    inOneProcess = reasonForOneProcess
  }

  /// Makes points of the accesses whose races failed the last run. That run does not count:
  /// exploration continues past these races. Returns `false` if no access became a point.
  mutating func addPoints(insteadOf run: interlock_exploration_result) -> Bool {
    guard run.verdict == INTERLOCK_EXPLORED_RACE,
      points.add(ExploredRaces.takeSitesInMemory())
    else { return false }
    executions -= Int(run.executions)
    leftBehind -= Int(run.left_behind)
    return true
  }

  /// True if an execution leaves state behind, which the next one finds in the same process.
  var keepsState: Bool {
    let kinds = INTERLOCK_FACT_KEEPS_STATE.rawValue | INTERLOCK_FACT_INITIALISERS.rawValue
    return facts & UInt32(kinds) != 0
  }

  /// True if each execution runs in its own process.
  var isolatesEach: Bool { options.isolatesEach || options.isIsolated && keepsState }

  /// True if executions shared a process although each can have its own.
  var canIsolateEach: Bool { options.isIsolated && hasShared }

  /// The facts, with the one that says that the body leaves state behind.
  var factsWithState: UInt32 { facts | UInt32(INTERLOCK_FACT_KEEPS_STATE.rawValue) }

  /// Runs executions until the strategy is exhausted, the budget is spent or an execution fails.
  mutating func run(
    _ phase: Phase, seconds: Double? = nil, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> interlock_exploration_result {
    let isReplay = phase.isReplay
    let left = options.executions.map { $0 - executions } ?? .max
    let spreads = spreads(phase)
    let most = phase.executions.map { min($0, left) } ?? (spreads ? left : nil)
    RaceCheck.start(facts)
    if ignoresOrder { RaceCheck.stopFollowingOrder() }
    guard let strategy = phase.makeStrategy(seed: options.seed, part: options.part) else {
      throw ExplorationRefusal(description: "there is no memory for the strategy")
    }
    defer { strategy.pointee.destroy(strategy) }
    let first = spreads ? min(left, Self.ordersBeforeJobs) : most
    var result = try exploreInSlices(
      strategy, phase, seconds: seconds ?? phase.seconds, most: first, body)
    // Read `failed_first` before the run below starts again: this process is warm then.
    failedFirst = failedFirst || (!isReplay && result.failed_first)
    if case .replay = phase { divergence = Self.divergence(strategy) }
    var isHere = !options.isIsolated
    if spreads,
      let all = try exploreInJobs(
        phase, seconds: seconds ?? phase.seconds, most: left, after: result, body)
    {
      noteEscaped(result)
      (result, isHere) = (all, false)
      // Such an order would end this process too: shrink and replay it in a child.
      let ends = [INTERLOCK_EXPLORED_CRASHED, INTERLOCK_EXPLORED_TIMED_OUT]
      if ends.contains(result.verdict) { options.isIsolated = true }
    }
    if phase.isSampling {
      estimate = ExplorationEstimate(share: result.reached, distinct: Int(result.distinct))
    }
    facts = result.facts
    inOneProcess = inOneProcess ?? reasonForOneProcess
    // Start again with the new facts. There are few facts, so this ends.
    if WeakExchanges.learn() || result.must_begin_anew {
      return try run(phase, seconds: seconds, body)
    }
    let report = reporter.read(result)
    race = report?.race
    orderUnknown = orderUnknown ?? (isHere ? RaceCheck.blindness(facts) : report?.orderUnknown)
    if result.verdict == INTERLOCK_EXPLORED_RACE, let undecided = undecidedRace(report, isHere) {
      escaped.insert(undecided)
      hasUndecided = true
      ignoresOrder = !isHere
      return try run(phase, seconds: seconds, body)
    }
    if case .everyOrder = phase, options.part != nil, result.failures == 0 {
      // Do not count executions that were cut off because their order belongs to another part.
      result.executions -= result.cut
      result.cut = 0
    }
    if !isReplay {
      executions += Int(result.executions)
      // Only a later replay may show that the executions needed separate processes.
      hasShared = !isolatesEach
    }
    if case .bounded(let most, _) = phase, result.failures == 0,
      interlock_dfs_has_run_out(strategy)
    {
      let bound = ExplorationBound(preemptions: most, orders: Int(result.executions))
      finished = (bound, facts, points)
    }
    leftBehind += Int(result.left_behind)
    limits.boundsSleeps = limits.boundsSleeps || result.bounds_sleeps
    limits.boundsYields = limits.boundsYields || result.bounds_yields
    limits.hasExactTime = limits.hasExactTime || (options.hasExactTime && result.uses_time)
    limits.boundsLoops = limits.boundsLoops || result.bounds_loops
    limits.boundsWakeUps = limits.boundsWakeUps || result.bounds_wake_ups
    limits.boundsExchanges = limits.boundsExchanges || result.bounds_exchanges
    limits.hasUnreadExchanges = limits.hasUnreadExchanges || result.has_unread_exchanges
    limits.keepsState = keepsState && !isolatesEach
    limits.boundsWaiters = limits.boundsWaiters || result.bounds_waiters
    limits.strengthensAtomics = limits.strengthensAtomics || result.strengthens_atomics
    tasksBlock = tasksBlock || result.tasks_block
    blocksFillPool = blocksFillPool || result.blocks_fill_pool
    mostTaskThreads = max(mostTaskThreads, Int(result.most_task_threads))
    noteEscaped(result)
    return result
  }

  /// The bound within which every order was executed; `nil` for none. Facts and points learned
  /// later add orders, and then the bound is void.
  var finishedBound: ExplorationBound? {
    guard let finished, escaped.isEmpty else { return nil }
    let learntNothing = finished.facts == facts && finished.points.keys == points.keys
    return learntNothing ? finished.bound : nil
  }

  private mutating func noteEscaped(_ result: interlock_exploration_result) {
    for operation in UnsafeBufferPointer(start: result.escaped, count: Int(result.escaped_count)) {
      escaped.insert(withUnsafeBytes(of: operation.name, Schedule.characters))
    }
  }

  /// Why the race of a run is not reported; `nil` if it is reported.
  private func undecidedRace(_ report: ChildReport?, _ isHere: Bool) -> String? {
    if isHere { return RaceCheck.undecided() }
    if let report { return report.undecidedRace }
    // The child ended while it looked for code that may order the two sections. If the engine only
    // follows overlaps, the race is reported.
    return ignoresOrder ? nil : "two sections, since their process ended before it could say more"
  }

  /// Searches for a schedule with fewer switches that fails in the same way; `nil` if the given one
  /// does not fail again.
  ///
  /// The search takes at most two seconds and one more execution.
  func shrink(_ choices: [UInt32], _ body: @escaping () -> Bool) -> [UInt32]? {
    struct Search {
      var run: (UnsafeMutablePointer<interlock_strategy>) -> UInt64
      let end = ContinuousClock.now + .seconds(2)
    }
    let search = Search { strategy in
      // Skip the report: for a race it symbolicates all frames, which takes longer than an
      // execution.
      guard
        let result = try? self.explore(
          strategy, seconds: 0, isReplay: true, reports: false, body)
      else {
        return 0
      }
      return result.failures == 0 ? 0 : UInt64(result.verdict.rawValue) + 1
    }
    var shrunk = withUnsafePointer(to: search) { pointer in
      interlock_shrink(
        { $0!.assumingMemoryBound(to: Search.self).pointee.run($1!) },
        { ContinuousClock.now > $0!.assumingMemoryBound(to: Search.self).pointee.end },
        UnsafeMutableRawPointer(mutating: pointer), choices, choices.count, 2000)
    }
    defer { interlock_schedule_destroy(&shrunk.schedule) }
    guard shrunk.is_failing else { return nil }
    return Array(UnsafeBufferPointer(start: shrunk.schedule.choices, count: shrunk.schedule.count))
  }

  private var reporter: ChildReporter { ChildReporter(witness, state) }

  private static func divergence(_ strategy: UnsafePointer<interlock_strategy>) -> String? {
    guard interlock_replay_has_diverged(strategy) else { return nil }
    var thread: UInt32 = 0
    let choice = interlock_replay_first_impossible(strategy, &thread)
    if choice == 0 { return "the execution has fewer choices than the schedule" }
    return "its choice \(choice) is \(Schedule.name(Int(thread))), which cannot run there"
  }

  /// Explores in slices of time, and lets other explorations run after each. The strategy
  /// continues.
  private mutating func exploreInSlices(
    _ strategy: UnsafeMutablePointer<interlock_strategy>, _ phase: Phase, seconds: Double,
    most: Int?, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> interlock_exploration_result {
    // A child process ends with its slice and loses the strategy's progress. Undecided races and
    // racing accesses are forgotten when another body is explored.
    let hasSlices =
      !options.isIsolated && !phase.isReplay && !hasUndecided && points.sites.isEmpty
      && most == nil
    let estimate = phase.isSampling && hasSlices ? interlock_estimate_create() : nil
    defer { interlock_estimate_destroy(estimate) }
    var (left, sum) = (seconds, interlock_exploration_result())
    while true {
      let slice = hasSlices ? min(left, options.slice ?? 0.25) : left
      var result = try explore(
        strategy, seconds: slice, most: most, isReplay: phase.isReplay,
        estimates: phase.isSampling, estimate: estimate, after: sum.executions, body)
      result.executions += sum.executions
      result.cut += sum.cut
      result.left_behind += sum.left_behind
      result.addFacts(of: sum)
      let spent = Double(result.nanoseconds) / 1e9
      left -= spent
      let isCutOff = options.executions.map { executions + Int(result.executions) >= $0 } ?? false
      let isOver = result.failures > 0 || result.must_begin_anew || result.is_complete
      // A slice that ended early has exhausted the strategy.
      if isOver || isCutOff || left < 0.001 || spent < slice { return result }
      let fillsPool = result.blocks_fill_pool && result.most_task_threads > 0
      if options.triesPoolsEarly,
        fillsPool && !blocksCanStarveTasks || result.tasks_block && !tasksBlock
      {
        return result
      }
      sum = result
      noteEscaped(result)
      facts = result.facts
      waited += Turn.pass()
      RaceCheck.start(facts)
    }
  }

  func explore(
    _ strategy: UnsafeMutablePointer<interlock_strategy>, seconds: Double, most: Int? = nil,
    isReplay: Bool, estimates: Bool = false, estimate: OpaquePointer? = nil,
    after earlier: UInt64 = 0, reports: Bool = true, jobs: Jobs? = nil,
    _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> interlock_exploration_result {
    var asked = interlock_exploration_options()
    asked.executions =
      isReplay
      ? 1 : UInt64(most ?? options.executions.map { $0 - executions - Int(earlier) } ?? 0)
    asked.budget = UInt64(seconds * 1e9)
    asked.steps = UInt64(options.steps)
    asked.chosen_steps = UInt64(options.chosenSteps ?? 0)
    // Bound one execution, so that an endless one does not exceed the budget by much.
    asked.execution_time = UInt64(min(options.leavesDoubts ? 2 : 10, max(1, options.seconds)) * 1e9)
    asked.body_is_main = options.bodyIsMain
    asked.leaves_outside = options.leavesDoubts
    let isFirst = earlier == 0
    // The body has run in this process, and has initialised its globals: no warm-up.
    let isWarm = isReplay && executions > 0 && !options.isIsolated
    // A replay in a child also compares states: the body may have begun to keep state after its
    // token was made. Shrinking does not compare: the search has.
    let isCompared = options.checksState && (!isReplay || options.isIsolated && reports)
    asked.warm_ups = isolatesEach || !isFirst || isWarm ? 0 : isCompared ? 2 : 1
    asked.determinism_checks = isReplay || !isFirst ? 0 : 1
    asked.pool_width = UInt32(options.poolWidth ?? 0)
    asked.task_width = UInt32(options.taskWidth ?? 0)
    asked.yields_in_a_row = UInt32(options.yieldsInARow)
    asked.time = options.hasExactTime ? INTERLOCK_TIME_IS_EXACT : INTERLOCK_TIME_IS_LOWER_BOUND
    asked.memory_model =
      options.memoryModel == .weak ? INTERLOCK_MEMORY_WEAK : INTERLOCK_MEMORY_SEQUENTIAL
    let memoryOrders = options.memoryOrders.map {
      interlock_memory_order(place: $0, order: $1.rawValue)
    }
    asked.memory_order_count = memoryOrders.count
    asked.knows_exchanges = true
    asked.facts = facts
    asked.point_count = points.sites.count
    // Follow callers for reports only: each costs a stack walk.
    asked.follows_callers = isReplay && reports
    asked.estimates = estimates
    asked.estimate = estimate
    if let witness {
      asked.deadlocked = { Unmanaged<DeadlockWitness>.fromOpaque($0!).takeUnretainedValue().look() }
      asked.deadlocked_context = Unmanaged.passUnretained(witness).toOpaque()
    }
    // Fork for each execution of a replay: `divergence` reads the strategy, which must live in this
    // process.
    asked.forks_each = isolatesEach || isReplay
    let reporter = reporter
    asked.child_begins = {
      Unmanaged<ChildReporter>.fromOpaque($0!).takeUnretainedValue().begin()
    }
    if reports {
      asked.report = { context, bytes, room in
        Unmanaged<ChildReporter>.fromOpaque(context!).takeUnretainedValue()
          .write(to: UnsafeMutableBufferPointer(start: bytes, count: room))
      }
    }
    asked.report_context = Unmanaged.passUnretained(reporter).toOpaque()
    defer { withExtendedLifetime(reporter) {} }
    var result = interlock_exploration_result()
    let status = withUnsafePointer(to: body) { pointer in
      withUnsafePointer(to: around) { surroundings in
        points.sites.withUnsafeBufferPointer { sites in
          memoryOrders.withUnsafeBufferPointer { orders in
            if around != nil {
              asked.around = { Engine.run($1, $2, around: $0) }
              asked.around_context = UnsafeMutableRawPointer(mutating: surroundings)
            }
            asked.points = sites.baseAddress
            asked.memory_orders = orders.baseAddress
            asked.token_width = Exploration.platform(options, facts: facts)
            let run = options.isIsolated ? interlock_explore_isolated : interlock_explore
            return points.keys.withUnsafeBufferPointer { keys in
              asked.point_keys = keys.baseAddress
              return name.withCString { name in
                asked.token_body = name
                if let jobs {
                  return jobs.run(
                    &asked, { $0!.assumingMemoryBound(to: (() -> Bool).self).pointee() },
                    UnsafeMutableRawPointer(mutating: pointer), &result)
                }
                return run(
                  &asked, { $0!.assumingMemoryBound(to: (() -> Bool).self).pointee() },
                  UnsafeMutableRawPointer(mutating: pointer), strategy, &result)
              }
            }
          }
        }
      }
    }
    let refusal: String
    switch status {
    case INTERLOCK_EXPLORE_RAN: return result
    case INTERLOCK_EXPLORE_NESTED: refusal = "an explored body cannot explore"
    case INTERLOCK_EXPLORE_NO_CHILD: throw .noChild
    case INTERLOCK_EXPLORE_NO_MEMORY: refusal = "there is no memory to explore in"
    default: refusal = "this build cannot control the calls that wait and wake"
    }
    throw ExplorationRefusal(description: refusal)
  }

  /// Runs a logical thread's function within the surroundings.
  private static func run(
    _ function: (@convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?)?,
    _ argument: UnsafeMutableRawPointer?, around context: UnsafeMutableRawPointer?
  ) -> UnsafeMutableRawPointer? {
    let around = context?.assumingMemoryBound(to: Surroundings?.self).pointee
    var result: UnsafeMutableRawPointer?
    around? { result = function?(argument) }
    return result
  }
}
