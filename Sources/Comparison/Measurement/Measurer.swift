import StressRunner

/// Measures strategies on workloads by a plan.
///
/// Use it on one thread that belongs to no pool.
package final class Measurer {
  /// The progress of a measurement.
  package struct Progress {
    /// How many rounds of single strategies are done.
    package var done: Int
    /// How many are planned.
    package var planned: Int
  }

  private let cells: [Cell]
  private let contestants: [Contestant]
  private let plan: MeasurementPlan
  private let calls: (Cell) -> CellCalls
  /// As many callers as the largest cell needs; each cell uses the first of them.
  private var callers: [Caller] = []
  /// The calls of the last measured cell.
  private var drawn: (cell: Cell, calls: CellCalls)?
  private let rate: Double?
  private let burnRate = BurnRate.measured()
  private let clockCost = Clock.costOfPair()
  /// The pace of each pair, by cell and contestant.
  private var paces: [[Pace]]
  /// The measurements so far.
  package private(set) var result: ComparisonRecord

  /// Prepares a comparison.
  ///
  /// - Parameters:
  ///   - cells: The workloads.
  ///   - calls: Draws the calls of a workload: the same ones each time.
  ///   - contestants: The strategies, which all have passed the correctness pass.
  ///   - plan: A plan for these numbers of cells and contestants.
  ///   - rate: Calls a second of all callers together, if the load is open.
  ///   - result: The record to fill in; it lists all strategies, also those that are not measured.
  package init(
    _ cells: [Cell], calls: @escaping (Cell) -> CellCalls, _ contestants: [Contestant],
    _ plan: MeasurementPlan, rate: Double?, into result: ComparisonRecord
  ) {
    self.cells = cells
    self.contestants = contestants
    self.plan = plan
    self.rate = rate
    self.calls = calls
    paces = cells.map { _ in contestants.map { _ in Pace() } }
    self.result = result
    self.result.cells = cells.map { cell in
      .init(cell: cell, entries: contestants.map { .init(strategy: $0.name) })
    }
  }

  /// Measures until the plan is done, the time is over, or `goesOn` returns `false`.
  ///
  /// - Parameters:
  ///   - deadline: The time, by `now`, after which no further round begins.
  ///   - now: Seconds on a monotonic clock.
  ///   - goesOn: Called after each round of a strategy; `false` ends it there.
  /// - Returns: `false` if `goesOn` ended the measurement.
  package func run(
    until deadline: Double, now: () -> Double, goesOn: (Progress) -> Bool
  ) -> Bool {
    let steps = plan.cells * plan.contestants
    let planned = steps * (plan.rounds + 1)
    var longest = 0.0
    for round in 0...plan.rounds {
      let start = now()
      if round > Interval.fewestValues, start + longest > deadline {
        result.notes.append(
          "the time ran out after \(round - 1) of \(plan.rounds) rounds: the machine is slower"
            + " than planned")
        break
      }
      for (number, step) in plan.order(ofRound: round).enumerated() {
        measure(step, round: round)
        let done = round * steps + number + 1
        guard goesOn(Progress(done: done, planned: planned)) else { return false }
      }
      longest = max(longest, now() - start)
    }
    return true
  }

  /// Measures the cost of the harness alone and of the cheapest strategy, on one thread, in
  /// interleaved rounds of the same pace.
  package func measureOverhead() {
    guard let base = cells.first, !contestants.isEmpty else { return }
    // Where the harness weighs most: no contention, and the shortest critical section.
    var cell = base
    cell.threads = 1
    cell.sectionNanoseconds = cells.map(\.sectionNanoseconds).min() ?? 0
    // The calls of a scenario's first caller, else the base's calls on one thread.
    let rings = Array(calls(cell).rings.prefix(1))
    let costs = contestants.indices.map { index -> Double in
      guard case .synchronous? = Optional(contestants[index].makeWork(cell, burnRate)),
        result.strategies.contains(where: {
          $0.name == contestants[index].name && $0.fault == nil
        })
      else { return .infinity }
      return cost(contestants[index].makeWork(cell, burnRate), rings, Pace(callsEach: 64))
    }
    guard let cheapest = costs.indices.min(by: { costs[$0] < costs[$1] }),
      costs[cheapest].isFinite
    else { return }
    let pace = Pace(callOf: costs[cheapest], clock: clockCost)
    var both: [(empty: Double, cheapest: Double)] = []
    for _ in 0..<9 {
      both.append(
        (
          cost(.synchronous(EmptyWork()), rings, pace),
          cost(contestants[cheapest].makeWork(cell, burnRate), rings, pace)
        ))
    }
    result.overhead = .init(
      emptyNanoseconds: median(both.map(\.empty)),
      cheapestNanoseconds: median(both.map(\.cheapest)), cheapest: contestants[cheapest].name,
      clockNanoseconds: clockCost / 2)
  }

  /// Processor nanoseconds of a call, in a short round.
  private func cost(_ work: Work, _ rings: [CallRing], _ pace: Pace) -> Double {
    let round = Round(driver: .threads, pace: pace, seconds: 0.01)
    guard case .measured(let figures) = round.run(work, rings, callers(rings.count)) else {
      return .infinity
    }
    return figures.processorNanoseconds
  }

  private func measure(_ step: MeasurementPlan.Step, round number: Int) {
    let contestant = contestants[step.contestant]
    guard result.strategies.first(where: { $0.name == contestant.name })?.fault == nil else {
      return
    }
    let cell = cells[step.cell]
    let rings = rings(of: cell)
    var pace = paces[step.cell][step.contestant]
    if let rate { pace.interval = max(1, Int(1e9 * Double(rings.count) / rate)) }
    let round = Round(driver: cell.driver, pace: pace, seconds: plan.roundSeconds)
    switch round.run(contestant.makeWork(cell, burnRate), rings, callers(rings.count)) {
    case .measured(let figures):
      if figures.faults > 0 {
        note(
          .init(
            verdict: "race",
            message: "\(figures.faults) lost writes or reads that overlapped a write in one round"
              + " of \(cell.name)"), of: contestant)
      }
      if number == 0 {
        // The round that sets the pace is not counted.
        paces[step.cell][step.contestant] = Pace(
          callOf: figures.processorNanoseconds, clock: clockCost)
      } else {
        result.cells[step.cell].entries[step.contestant].rounds.append(figures)
      }
    case .stuck(let count):
      note(
        .init(
          verdict: "deadlock",
          message: "\(count) of \(rings.count) callers did not return within"
            + " \(Int(round.patienceSeconds)) s in \(cell.name)"), of: contestant)
      // Stuck threads still use these callers.
      callers = []
    }
  }

  private func callers(_ count: Int) -> [Caller] {
    while callers.count < count { callers.append(Caller()) }
    return Array(callers.prefix(count))
  }

  private func rings(of cell: Cell) -> [CallRing] {
    if let drawn, drawn.cell == cell { return drawn.calls.rings }
    let calls = calls(cell)
    drawn = (cell, calls)
    return calls.rings
  }

  private func note(_ fault: ComparisonRecord.Fault, of contestant: Contestant) {
    for index in result.strategies.indices where result.strategies[index].name == contestant.name {
      result.strategies[index].fault = result.strategies[index].fault ?? fault
    }
  }
}
