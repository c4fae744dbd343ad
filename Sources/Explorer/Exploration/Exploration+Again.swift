internal import CInterlockExplorer

/// Further executions that decide what an outcome leaves open.
extension Exploration {
  /// Explores a body that leaves state behind again, with one process for each execution.
  ///
  /// - Parameters:
  ///   - engine: The engine whose executions shared a process; replaced by that of the new
  ///     exploration.
  ///   - end: The end of the budget. The new exploration gets at least one second.
  ///   - body: The body to explore.
  /// - Returns: The outcome.
  /// - Throws: Why nothing was explored.
  func searchInOwnProcesses(
    _ engine: inout Engine, until end: ContinuousClock.Instant, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    let waited = engine.waited
    engine = Engine(
      options, of: name, around: around, state: state, facts: engine.factsWithState)
    engine.waited = waited
    var again = self
    again.options.seconds = max(1, (end + waited - ContinuousClock.now) / .seconds(1))
    return try again.search(&engine, body)
  }

  /// Explores a body again whose yielding loops were held back, and lets them yield more often: a
  /// test may yield a fixed number of times where it should wait.
  ///
  /// - Parameters:
  ///   - passed: The outcome with few yields in a row.
  ///   - engine: The engine that explored it.
  ///   - body: The body to explore.
  /// - Returns: The failing order, or `passed`.
  /// - Throws: Why nothing was explored.
  func tryManyYields(
    after passed: ExplorationOutcome, _ engine: inout Engine, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    if case .failed = passed { return passed }
    if let most = options.executions, most <= engine.executions { return passed }
    var patient = onPool(
      width: options.poolWidth, seconds: options.seconds / 20, after: engine)
    patient.options.yieldsInARow = ExplorationOptions.manyYields
    // Try 250 orders at most: the first orders have the longest runs of yields.
    patient.options.executions = min(250, patient.options.executions ?? .max)
    var own = Engine(patient.options, of: name, around: around, state: state)
    let outcome = try patient.search(&own, body)
    engine.waited += own.waited
    guard case .failed(var failure) = outcome else { return passed }
    failure.explanation.insert(
      "a thread or a task yields more than \(ExplorationOptions.fewYields) times in a row while"
        + " others can run; no order that was tried fails with fewer", at: 0)
    return .failed(failure)
  }

  /// Returns the outcome of a body that failed in its first execution. If all orders pass, the
  /// cause is not the order, since that execution had one of them.
  func failedOnlyFirst(
    after outcome: ExplorationOutcome, _ engine: inout Engine, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    guard case .allOrdersPass = outcome else { return outcome }
    let (result, _) = try engine.look(at: [], bodyIsTask: bodyIsTask, body)
    var failure = made(result, token: token([], engine), .order(1), nil)
    failure.verdict = .failed
    failure.repetition = .allOrdersPass
    failure.schedule.steps = []
    return .failed(failure)
  }

  /// Passes the sources of the body's orders to `notes`.
  func noteSources(
    _ engine: inout Engine, _ body: @escaping () -> Bool, _ notes: (Note) -> Void
  ) throws(ExplorationRefusal) {
    // Execute the schedule without choices: the engine takes the first candidate each time.
    let (result, _) = try engine.look(at: [], bodyIsTask: bodyIsTask, body)
    var schedule = Schedule(result)
    schedule.bodyIsTask = bodyIsTask
    // Counting needs all steps.
    guard result.failures == 0, schedule.leftOut == nil else { return }
    notes(.sources(schedule.sourcesOfOrders(most: 3)))
  }
}
