internal import CInterlockExplorer
import Interlock
import Prediction
internal import ProcessInspection

/// Executes a body once for each order that a strategy chooses.
///
/// The body must create everything it uses in each execution, and its threads must end before it
/// returns. One exploration runs at a time in a process; several take turns.
package struct Exploration: Sendable {
  var options: ExplorationOptions
  /// Identifies the body in tokens.
  let name: String
  let around: Surroundings?
  let bodyIsTask: Bool
  /// The body's state in memory; `nil` if a child process has none to send.
  package var state: ExploredState?

  /// Creates an exploration; `name` distinguishes the body's tokens from those of other bodies.
  ///
  /// Each thread of the body runs within `around`. If `bodyIsTask`, the first thread only waits for
  /// the body's task, and reports leave that thread out.
  package init(
    _ options: ExplorationOptions, of name: String, around: Surroundings? = nil,
    bodyIsTask: Bool = false
  ) {
    self.options = options
    self.name = name
    self.around = around
    self.bodyIsTask = bodyIsTask
  }

  /// Explores a body, which returns `false` for a failed execution.
  ///
  /// The closure escapes because the threads of a deadlocked execution keep what they hold.
  ///
  /// - Throws: Why nothing was explored.
  package func run(_ body: @escaping () -> Bool) throws(ExplorationRefusal) -> ExplorationOutcome {
    try run(body) { _ in }
  }

  /// Like `run(_:)`, and passes notes for the report to `notes`.
  package func run(
    _ body: @escaping () -> Bool, notes: (Note) -> Void
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    let begun = ContinuousClock.now
    return try Self.inTurn { waited throws(ExplorationRefusal) in
      var waited = waited
      let outcome = try explore(body, &waited, notes)
      notes(.time(own: .now - begun - waited, waited: waited))
      return outcome
    }
  }

  /// Facts for the report besides the outcome.
  package enum Note: Sendable {
    /// How much of the orders sampling has reached.
    case estimate(ExplorationEstimate)
    /// The objects that have the most orders, if there are too many orders to execute.
    case sources([String])
    /// A problem with the corpus file, in one line.
    case corpus(String)
    /// The number of kept orders that passed, and are removed from the corpus.
    case repaired(Int)
    /// The reason why only overlapping sections were reported, not races by the order of sections.
    case orderUnknown(String)
    /// The reason why one process explored although several were asked for.
    case oneProcess(String)
    /// Each order ran in a process of its own, since executions leave state behind.
    case ownProcesses
    /// The facts of the body. Results of parts combine only if their facts are equal.
    case facts(UInt32)
    /// How long the exploration took, and how long it waited for others in addition.
    case time(own: Duration, waited: Duration)
  }

  /// Runs work that explores and reads the engine's results, with no other exploration at a time.
  package static func inTurn<Outcome: Sendable>(
    _ work: (_ waited: Duration) throws(ExplorationRefusal) -> Outcome
  ) throws(ExplorationRefusal) -> Outcome {
    // An exploration inside an explored body would wait for itself.
    if interlock_is_explored() {
      leave("a call of explore")
      throw ExplorationRefusal(description: "an explored body cannot explore")
    }
    if let gap = ProcessorSupport.gap { throw ExplorationRefusal(description: gap) }
    OwnCode.register(OwnCode.explorer)
    return try Turn.take { waited throws(ExplorationRefusal) in
      try RaceCheck.alone { () throws(ExplorationRefusal) in try work(waited) }
    }
  }

  private func explore(
    _ body: @escaping () -> Bool, _ waited: inout Duration, _ notes: (Note) -> Void
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    let end = ContinuousClock.now + .seconds(options.seconds)
    Self.forgetTaskNames()
    // Use the surroundings once here: the first use reads metadata, which each child would repeat.
    if options.isIsolated { around? {} }
    var corpus = options.corpus.map { Corpus(of: name, in: $0) }
    if let error = corpus?.error { notes(.corpus(error)) }
    var failing: [Corpus.Order] = []
    // Kept orders need many yields: an order says how long a thread runs, however often it yields.
    var patient = self
    patient.options.yieldsInARow = ExplorationOptions.manyYields
    var outcome = try patient.tryKept(corpus?.orders ?? [], &failing, body)
    let repaired = (corpus?.orders.count ?? 0) - failing.count
    if repaired > 0 { notes(.repaired(repaired)) }
    if outcome == nil {
      var engine = Engine(options, of: name, around: around, state: state)
      outcome = try search(&engine, body)
      if outcome?.failure?.mayComeFromState == true, engine.canIsolateEach {
        outcome = try searchInOwnProcesses(&engine, until: end, body)
      }
      if engine.tasksBlock, let passed = outcome {
        let left = (end + engine.waited - ContinuousClock.now) / .seconds(1)
        outcome = try tryNarrowPools(after: passed, &engine, seconds: left, body)
      }
      if engine.blocksCanStarveTasks, let passed = outcome {
        let left = (end + engine.waited - ContinuousClock.now) / .seconds(1)
        outcome = try trySharedPool(after: passed, &engine, seconds: left, body)
      }
      if engine.limits.boundsYields, let passed = outcome {
        outcome = try tryManyYields(after: passed, &engine, body)
      }
      if engine.failedFirst, let passed = outcome {
        outcome = try failedOnlyFirst(after: passed, &engine, body)
      }
      waited += engine.waited
      notes(.facts(engine.facts))
      if let reason = engine.orderUnknown { notes(.orderUnknown(reason)) }
      if let reason = engine.inOneProcess { notes(.oneProcess(reason)) }
      if engine.keepsState, engine.isolatesEach { notes(.ownProcesses) }
      let explains = options.explainsOrders == true
      switch outcome {
      case .sampled(_, _, let escaped, _):
        if let estimate = engine.estimate { notes(.estimate(estimate)) }
        if explains || (options.strategy == .everyOrder && escaped.isEmpty) {
          try noteSources(&engine, body, notes)
        }
      case .allOrdersPass: if explains { try noteSources(&engine, body, notes) }
      case .failed, nil: break
      }
      if let failure = outcome?.failure, failure.canBeKept {
        failing.append(
          Corpus.Order(failure.schedule, facts: engine.facts, accesses: engine.points.keys))
      }
    }
    if let error = corpus?.replace(failing) { notes(.corpus(error)) }
    return outcome ?? .sampled(count: 0, leftBehind: 0, escaped: [])
  }

  /// Executes kept orders, and returns the outcome of the first one that still fails.
  private func tryKept(
    _ orders: [Corpus.Order], _ failing: inout [Corpus.Order], _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationOutcome? {
    var outcome: ExplorationOutcome?
    for order in orders {
      var engine = Engine(
        options, of: name, around: around, state: state, facts: order.facts,
        points: AccessPoints(keys: order.accesses))
      let result = try engine.run(.kept(order), body)
      if result.failures == 0 { continue }
      failing.append(order)
      if outcome == nil {
        outcome = .failed(try failure(failedOrder(result, engine), &engine, body))
      }
    }
    return outcome
  }

  func search(
    _ engine: inout Engine, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    // The first order with a memory race, and the engine that found it. The racing accesses become
    // points, so that the search can find an order that fails because of the race.
    var race: (order: FailedOrder, engine: Engine)?
    let begun = ContinuousClock.now
    // True if a narrow pool fails: then the remaining orders need not be tried for long.
    var starves = false
    for phase in phases where engine.executions < options.executions ?? .max {
      if starves { break }
      // If the orders with fewer preemptions took too long, those with more do as well.
      if case .bounded(let most, _) = phase, most > 0,
        engine.finishedBound?.preemptions != most - 1
      {
        continue
      }
      var seconds = phase.seconds
      if case .sampling = phase {
        // Sampling gets the time that the earlier phases did not use.
        let spent = (.now - begun - engine.waited) / .seconds(1)
        seconds = max(seconds, options.seconds - spent)
      }
      // Leave half of the time for the narrow pools.
      if engine.tasksBlock || engine.blocksCanStarveTasks, options.poolWidth == nil,
        phase.isSampling
      {
        seconds /= 2
      }
      // The time of other explorations does not count.
      let end = ContinuousClock.now + .seconds(seconds) - engine.waited
      let knew = (engine.blocksCanStarveTasks, engine.tasksBlock)
      var result = try engine.run(phase, seconds: seconds, body)
      if options.triesPoolsEarly, (engine.blocksCanStarveTasks, engine.tasksBlock) != knew,
        result.failures == 0, !result.is_complete
      {
        // Try a few orders: they show most starvations, and sampling a large body takes the whole
        // budget.
        if engine.blocksCanStarveTasks {
          let first = try trySharedPool(
            after: .sampled(count: 0, leftBehind: 0, escaped: []), &engine,
            seconds: options.seconds / 20, orders: 10, body)
          if case .failed = first { return first }
        }
        if engine.tasksBlock { starves = try firstOrderDeadlocks(onThreads: 1, &engine, body) }
        let left = (end + engine.waited - ContinuousClock.now) / .seconds(1)
        if left > 0 {
          let most = starves ? options.seconds / 5 : left
          result = try engine.run(phase, seconds: min(left, most), body)
        }
      }
      while result.verdict == INTERLOCK_EXPLORED_RACE {
        let first = race ?? (failedOrder(result, engine), engine)
        guard engine.addPoints(insteadOf: result) else { break }
        race = first
        let left = (end + engine.waited - ContinuousClock.now) / .seconds(1)
        result = try engine.run(phase, seconds: max(left, phase.seconds / 10), body)
      }
      if result.failures > 0 {
        return .failed(try failure(failedOrder(result, engine), &engine, body))
      }
      guard result.is_complete, engine.escaped.isEmpty else { continue }
      let count = Int(result.executions - result.cut)
      if let race {
        let tried = count == 1 ? "the only one was tried" : "all \(count) were tried"
        return .failed(try failure(race, tried, body))
      }
      let leftBehind = engine.leftBehind
      let isOver = options.executions.map { engine.executions >= $0 } ?? false
      if result.choices > 0, options.part == nil, !isOver {
        let random = try engine.run(.unseenAccesses(seconds: options.seconds / 20), body)
        if random.failures > 0 {
          return .failed(try failure(failedOrder(random, engine), &engine, body))
        }
      }
      return .allOrdersPass(count: count, leftBehind: leftBehind, limits: limits(engine))
    }
    if let race {
      let tried = "\(engine.executions) were tried, which are not all"
      return .failed(try failure(race, tried, body))
    }
    return .sampled(
      count: engine.executions, leftBehind: engine.leftBehind, escaped: engine.escaped.sorted(),
      bound: engine.finishedBound)
  }

  private func limits(_ engine: Engine) -> ExplorationLimits {
    var limits = engine.limits
    limits.hasWeakMemory = options.memoryModel == .weak
    limits.poolWidth = options.poolWidth
    return limits
  }

  /// The failure for a race that makes no order fail.
  private func failure(
    _ race: (order: FailedOrder, engine: Engine), _ tried: String, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationFailure {
    var engine = race.engine
    var failure = try failure(race.order, &engine, body)
    failure.explanation.insert("no order of its accesses fails otherwise: \(tried)", at: 0)
    return failure
  }

  /// One line about code in a module, or in a module it uses, that explorations cannot control:
  /// atomics, or a `Mutex` with unknown machine code. `nil` if there is none.
  package static func uncontrolledCode(inModule module: String) -> String? {
    OwnCode.register(OwnCode.explorer)
    return UncontrolledCode.place(inModule: module)
  }

  /// The result of a failed order. It is copied before the next execution overwrites the engine's
  /// memory.
  private struct FailedOrder {
    var choices: [UInt32]
    var failure: ExplorationFailure
  }

  private func failedOrder(
    _ found: interlock_exploration_result, _ engine: Engine
  ) -> FailedOrder {
    let choices = Array(UnsafeBufferPointer(start: found.choices_made, count: found.choice_count))
    let failure = made(
      found, token: token(choices, engine), origin(engine), engine.race,
      escaped: engine.escaped)
    return FailedOrder(choices: choices, failure: failure)
  }

  /// A failure before the first counted execution comes from a kept order.
  private func origin(_ engine: Engine) -> ExplorationFailure.Origin {
    engine.executions == 0 ? .kept : .order(engine.executions)
  }

  private func failure(
    _ order: FailedOrder, _ engine: inout Engine, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationFailure {
    var first = order.failure
    let origin = origin(engine)
    if options.leavesDoubts, first.doubt != nil { return first }
    // Do not shrink: with a time-out, each execution would take the full limit.
    if [.timedOut, .notDeterministic].contains(first.verdict) { return first }
    let (shortest, result, witness) = try lookAtShortest(order, &engine, body)
    guard result.failures > 0 else {
      first.repetition = .passes
      return first
    }
    var failure = made(
      result, token: token(shortest, engine), origin, engine.race, escaped: engine.escaped)
    failure.add(witness)
    if failure.schedule.steps.contains(where: { $0.operation == "failed weak exchange" }) {
      failure.explanation.append(
        "a weakCompareExchange may fail although it finds the value that it expects")
    }
    if engine.keepsState, !engine.isolatesEach {
      failure.explanation.append(
        "executions leave state behind, such as a static variable, which may be the cause")
    }
    failure.explanation += try missingMemoryOrders(in: result, engine, body)
    return failure
  }

  /// Replays the shortest failing schedule found, and inspects its deadlock.
  private func lookAtShortest(
    _ order: FailedOrder, _ engine: inout Engine, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ([UInt32], interlock_exploration_result, DeadlockWitness) {
    var choices = order.choices
    if order.failure.verdict == .livelock, order.failure.schedule.blocked.isEmpty {
      // Shorten a livelock by prefixes: it runs to the limit of steps, which takes seconds, and
      // most of its choices come after the relevant ones.
      let end = ContinuousClock.now + .seconds(2)
      for count in [0, 100, 10_000] where count < choices.count && ContinuousClock.now < end {
        let first = Array(choices.prefix(count))
        // Use a copy: facts learned from a prefix may not fit the choices of the full order.
        var trying = engine
        let (result, witness) = try trying.look(at: first, bodyIsTask: bodyIsTask, body)
        guard result.verdict == INTERLOCK_EXPLORED_LIVELOCK, result.blocked_count == 0 else {
          continue
        }
        engine = trying
        return (first, result, witness)
      }
    } else if let shrunk = engine.shrink(choices, body) {
      choices = shrunk
    }
    // Replay also an order that was not shrunk: only a replay records callers, which give library
    // calls their lines.
    let (result, witness) = try engine.look(at: choices, bodyIsTask: bodyIsTask, body)
    return (choices, result, witness)
  }

  func made(
    _ result: interlock_exploration_result, token: String, _ origin: ExplorationFailure.Origin,
    _ race: SectionRace?, escaped: Set<String> = []
  ) -> ExplorationFailure {
    var schedule = Schedule(result)
    schedule.bodyIsTask = bodyIsTask
    schedule.taskNames = Self.taskNames(schedule)
    let race = race.map(ExploredRace.sections) ?? ExploredRaces.last
    if race?.inMemory != nil { MemoryRaceLog.hasExplored = true }
    return ExplorationFailure(
      result, schedule, race: race?.shown(in: schedule), token: token, origin: origin,
      escaped: escaped.sorted())
  }

  /// The phases, in their order.
  private var phases: [Phase] {
    let all = options.seconds
    switch options.strategy {
    case .everyOrder:
      // Bounded phases need the strategy's progress, which a child does not return, and all orders,
      // which a part does not have.
      let hasBounds = !options.isIsolated && options.part == nil
      let shares = [0.02, 0.04, 0.08, 0.1]
      let bounded = shares.enumerated().map { Phase.bounded($0, seconds: all * $1) }
      return [.everyOrder(seconds: all / 2)] + (hasBounds ? bounded : [])
        + [.sampling(seconds: all / 4)]
    case .depthFirst(let bound): return [.depthFirst(bound, seconds: all)]
    case .random: return [.random(seconds: all)]
    case .pct(let depth): return [.pct(depth, seconds: all)]
    case .pos: return [.pos(seconds: all)]
    case .surw: return [.surw(seconds: all)]
    case .roundRobin: return [.roundRobin(seconds: all)]
    case .inTurn: return [.inTurn(seconds: all)]
    }
  }
}
