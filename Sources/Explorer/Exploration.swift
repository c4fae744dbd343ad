internal import CInterlockExplorer
import Interlock
import Prediction
internal import ProcessInspection

/// Runs a body once for each order that a strategy chooses.
///
/// The body must make everything that it uses anew in each execution, and its threads must end
/// before it returns. One exploration runs at a time in a process; several take turns.
package struct Exploration: Sendable {
  var options: ExplorationOptions
  /// Names the body in tokens.
  let name: String
  let around: Surroundings?
  let bodyIsTask: Bool
  /// What the body keeps in memory; `nil` if child processes have nothing of it to hand over.
  package var state: ExploredState?

  /// Explores as the options say; `name` tells the body's tokens from those of others.
  ///
  /// Each thread of the body runs within `around`. If the body is a task that its first thread only
  /// waits for, reports leave that thread out.
  package init(
    _ options: ExplorationOptions, of name: String, around: Surroundings? = nil,
    bodyIsTask: Bool = false
  ) {
    self.options = options
    self.name = name
    self.around = around
    self.bodyIsTask = bodyIsTask
  }

  /// Explores a body, which returns `false` if the execution failed.
  ///
  /// The body escapes: threads of an execution that deadlocked keep what they hold.
  ///
  /// - Throws: Why nothing was explored.
  package func run(_ body: @escaping () -> Bool) throws(ExplorationRefusal) -> ExplorationOutcome {
    try run(body) { _ in }
  }

  /// As `run`, and passes what sampling has reached, and problems with the corpus, to `notes`.
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

  /// What a report may say besides the outcome.
  package enum Note: Sendable {
    /// How much the sampling has reached.
    case estimate(ExplorationEstimate)
    /// Where the orders come from that are too many to finish.
    case sources([String])
    /// What was wrong with the file of failing orders, in one line.
    case corpus(String)
    /// This many failing orders of earlier runs passed, and are no longer kept.
    case repaired(Int)
    /// Races by the order of sections were not decided, for this reason; overlaps were.
    case orderUnknown(String)
    /// One process explored although several were asked for, for this reason.
    case oneProcess(String)
    /// Each order ran in a process of its own, since executions leave state behind.
    case ownProcesses
    /// What executions have shown of the body. Parts fit together only if each shows the same.
    case facts(UInt32)
    /// How long it took, and how long it waited for other explorations besides.
    case time(own: Duration, waited: Duration)
  }

  /// Runs work that explores and reads the engine's results, alone.
  package static func inTurn<Outcome: Sendable>(
    _ work: (_ waited: Duration) throws(ExplorationRefusal) -> Outcome
  ) throws(ExplorationRefusal) -> Outcome {
    // It would wait for itself.
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
    // Its first use reads metadata, which each child process would have to read again.
    if options.isIsolated { around? {} }
    var corpus = options.corpus.map { Corpus(of: name, in: $0) }
    if let error = corpus?.error { notes(.corpus(error)) }
    var failing: [Corpus.Order] = []
    // A kept order says how long a thread runs, however often it yields.
    var patient = self
    patient.options.yieldsInARow = ExplorationOptions.manyYields
    var outcome = try patient.tryKept(corpus?.orders ?? [], &failing, body)
    let repaired = (corpus?.orders.count ?? 0) - failing.count
    if repaired > 0 { notes(.repaired(repaired)) }
    if outcome == nil {
      var engine = Engine(options, of: name, around: around, state: state)
      outcome = try search(&engine, body)
      if case .failed(let failure) = outcome, failure.mayComeFromState, engine.canIsolateEach {
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
      if case .failed(let failure) = outcome, failure.canBeKept {
        failing.append(
          Corpus.Order(failure.schedule, facts: engine.facts, accesses: engine.points.keys))
      }
    }
    if let error = corpus?.replace(failing) { notes(.corpus(error)) }
    return outcome ?? .sampled(count: 0, leftBehind: 0, escaped: [])
  }

  /// Executes the failing orders of earlier runs; the outcome is of the first that fails again.
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
    // The first order with a race in memory, and the engine that found it. Its accesses become
    // points, so that an order may fail by what the race does.
    var race: (order: FailedOrder, engine: Engine)?
    let begun = ContinuousClock.now
    // The narrow pools show a failing order, so that the other orders need not be tried for long.
    var starves = false
    for phase in phases where engine.executions < options.executions ?? .max {
      if starves { break }
      // Where all orders with fewer preemptions take too long, so do those with more.
      if case .bounded(let most, _) = phase, most > 0,
        engine.finishedBound?.preemptions != most - 1
      {
        continue
      }
      var seconds = phase.seconds
      if case .sampling = phase {
        // The earlier phases have left the rest.
        let spent = (.now - begun - engine.waited) / .seconds(1)
        seconds = max(seconds, options.seconds - spent)
      }
      // Narrow pools have their share of the budget.
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
        // A few orders show most starvations, and to sample a large body takes the whole budget.
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

  /// A race that makes no order fail.
  private func failure(
    _ race: (order: FailedOrder, engine: Engine), _ tried: String, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationFailure {
    var engine = race.engine
    var failure = try failure(race.order, &engine, body)
    failure.explanation.insert("no order of its accesses fails otherwise: \(tried)", at: 0)
    return failure
  }

  /// Code of a module, or of one that it uses, that no exploration controls: atomics, and a
  /// `Mutex` whose code has an unknown form. A line for a report; `nil` if there is none.
  package static func uncontrolledCode(inModule module: String) -> String? {
    OwnCode.register(OwnCode.explorer)
    return UncontrolledCode.place(inModule: module)
  }

  /// The result of an order that failed, read before the next execution, which reuses the engine's
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

  /// Kept orders come before the first order of the search.
  private func origin(_ engine: Engine) -> ExplorationFailure.Origin {
    engine.executions == 0 ? .kept : .order(engine.executions)
  }

  private func failure(
    _ order: FailedOrder, _ engine: inout Engine, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationFailure {
    var first = order.failure
    let origin = origin(engine)
    if options.leavesDoubts, first.doubt != nil { return first }
    switch first.verdict {
    // Each execution would take as long as its limit.
    case .timedOut: return first
    case .notDeterministic: return first
    default: break
    }
    let (shortest, result, witness) = try lookAtShortest(order, &engine, body)
    guard result.failures > 0 else {
      first.isUnrepeatable = true
      return first
    }
    var failure = made(
      result, token: token(shortest, engine), origin, engine.race, escaped: engine.escaped)
    failure.add(witness)
    failure.explainExchanges()
    if engine.keepsState, !engine.isolatesEach {
      failure.explanation.append(
        "executions leave state behind, such as a static variable, which may be the cause")
    }
    failure.explanation += try missingMemoryOrders(in: result, engine, body)
    return failure
  }

  /// Executes the shortest schedule found that fails as an order did, and looks at it.
  private func lookAtShortest(
    _ order: FailedOrder, _ engine: inout Engine, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ([UInt32], interlock_exploration_result, DeadlockWitness) {
    var choices = order.choices
    if order.failure.verdict == .livelock, order.failure.schedule.blocked.isEmpty {
      // A livelock goes on until the limit of steps: it takes seconds, and most of the choices
      // come after those that matter.
      let end = ContinuousClock.now + .seconds(2)
      for count in [0, 100, 10_000] where count < choices.count && ContinuousClock.now < end {
        let first = Array(choices.prefix(count))
        // The facts that a shorter order shows may not fit the choices of the long one.
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
    // Also where it cannot be shrunk: a replay finds the lines of calls through a library.
    let (result, witness) = try engine.look(at: choices, bodyIsTask: bodyIsTask, body)
    return (choices, result, witness)
  }

  func made(
    _ result: interlock_exploration_result, token: String, _ origin: ExplorationFailure.Origin,
    _ race: ExplorationRace?, escaped: Set<String> = []
  ) -> ExplorationFailure {
    var failure = ExplorationFailure(result, token: token, origin: origin, race: race)
    failure.schedule.bodyIsTask = bodyIsTask
    failure.schedule.taskNames = Self.taskNames(failure.schedule)
    failure.escaped = escaped.sorted()
    if failure.memoryRace != nil { MemoryRaceLog.hasExplored = true }
    failure.memoryRace?.first.name(in: failure.schedule)
    failure.memoryRace?.second.name(in: failure.schedule)
    return failure
  }

  /// What is tried, one after the other.
  private var phases: [Phase] {
    let all = options.seconds
    switch options.strategy {
    case .everyOrder:
      // A child would have to hand over how far it came; a part has only some of the orders.
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
