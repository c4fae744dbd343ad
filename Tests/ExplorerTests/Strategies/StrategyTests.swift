import CInterlockExplorer
import StrategyTestsC
import Testing

/// The strategies by name, with their construction.
enum Strategy: String, CaseIterable, Sendable {
  case random, pct, pos, surw, dfs, dpor, portfolio

  func make(seed: UInt64 = 5) -> UnsafeMutablePointer<interlock_strategy> {
    let options = interlock_dpor_options(objects_keep_their_numbers: true, shard: 0, shards: 1)
    let made =
      switch self {
      case .random: interlock_random_walk_create(seed)
      case .pct: interlock_pct_create(seed, 3)
      case .pos: interlock_pos_create(seed)
      case .surw: interlock_surw_create(seed)
      case .dfs: interlock_dfs_create(2)
      case .dpor: interlock_dpor_create(options)
      case .portfolio: interlock_portfolio_create(seed)
      }
    return made!
  }
}

/// Programs of the model with a bug that needs an order.
enum Bug: String, CaseIterable, Sendable {
  case lostUpdate, crossedLocks, lostSignal, dryPool, lateCancel

  var program: model_program {
    switch self {
    case .lostUpdate: model_make(MODEL_LOST_UPDATE, 2, 1)
    case .crossedLocks: model_make(MODEL_CROSSED, 2, 1)
    case .lostSignal: model_make(MODEL_LOST_SIGNAL, 2, 1)
    case .dryPool: model_make(MODEL_DRY_POOL, 1, 1)
    case .lateCancel: model_make(MODEL_CANCEL_LATE, 1, 1)
    }
  }
}

@Suite struct StrategyTests {
  @Test(
    "a strategy finds the bug, and its choices replay the same steps",
    arguments: Strategy.allCases, Bug.allCases)
  func replay(_ strategy: Strategy, _ bug: Bug) {
    var program = bug.program
    var failure = model_find_failure(&program, strategy.make(), model_lost_an_update, 1000)
    defer { interlock_schedule_destroy(&failure.schedule) }
    #expect(failure.has_failed)
    #expect(failure.replays_alike)
    #expect(!failure.has_diverged)
  }

  @Test(
    "a usual bug shrinks to at most three preemptions and four switches",
    arguments: Strategy.allCases, Bug.allCases)
  func shrink(_ strategy: Strategy, _ bug: Bug) {
    var program = bug.program
    var failure = model_find_failure(&program, strategy.make(), model_lost_an_update, 1000)
    defer { interlock_schedule_destroy(&failure.schedule) }
    var shrunk = model_shrink(&program, model_lost_an_update, &failure.schedule)
    defer { interlock_schedule_destroy(&shrunk.schedule) }
    #expect(shrunk.is_failing)
    #expect(shrunk.preemptions <= 3)
    #expect(shrunk.switches <= (bug == .lateCancel ? 4 : 3))
    let replay = interlock_replay_create(shrunk.schedule.choices, shrunk.schedule.count)!
    defer { replay.pointee.destroy(replay) }
    #expect(replay.pointee.begin(replay))
    let again = model_execute(&program, replay, model_options())
    #expect(again.is_deadlock || model_lost_an_update(model_last_state()))
    #expect(!interlock_replay_has_diverged(replay))
  }

  @Test(
    "unused choices make a replay diverge, unless it reached the limit of steps",
    arguments: [
      (INTERLOCK_EXECUTION_FAILED, true), (INTERLOCK_EXECUTION_PASSED, true),
      (INTERLOCK_EXECUTION_LIMITED, false),
    ])
  func leftOver(_ end: interlock_execution_end, _ diverges: Bool) {
    let replay = interlock_replay_create([1, 0], 2)!
    defer { replay.pointee.destroy(replay) }
    #expect(replay.pointee.begin(replay))
    var state = interlock_exploration_state()
    replay.pointee.end(replay, end, &state)
    #expect(interlock_replay_has_diverged(replay) == diverges)
  }

  @Test("a schedule that passes is not shrunk")
  func shrinkPassing() {
    var program = Bug.lostUpdate.program
    var schedule = interlock_schedule()
    let shrunk = model_shrink(&program, model_lost_an_update, &schedule)
    #expect(!shrunk.is_failing)
    #expect(shrunk.schedule.count == 0)
  }

  @Test(
    "shrinking a long execution runs each candidate that it makes",
    arguments: [(limit: 30, untilOver: 1000), (limit: 1000, untilOver: 30)])
  func shrinkLong(_ bound: (limit: UInt32, untilOver: UInt32)) {
    var shrunk = model_shrink_alternating(400, bound.limit, bound.untilOver, false)
    defer { interlock_schedule_destroy(&shrunk.schedule) }
    #expect(shrunk.is_failing)
    #expect(shrunk.candidates == 30)
    #expect(shrunk.executions == 31)
  }

  @Test("an execution with many switches that fails in each order shrinks to no preemption")
  func shrinkSwitches() {
    var shrunk = model_shrink_alternating(400, 1000, 1000, true)
    defer { interlock_schedule_destroy(&shrunk.schedule) }
    #expect(shrunk.is_failing)
    #expect(shrunk.preemptions == 0)
  }

  @Test("shrinking tries to leave out each half of the threads once, if the threads run anyway")
  func shrinkNeeded() {
    var shrunk = model_shrink_in_turn(100)
    defer { interlock_schedule_destroy(&shrunk.schedule) }
    #expect(shrunk.is_failing)
    #expect(shrunk.switches == 99)
    #expect(shrunk.candidates == 2)
  }

  @Test(
    "the same seed gives the same executions, another seed others", arguments: Strategy.allCases)
  func seeds(_ strategy: Strategy) {
    func orders(_ seed: UInt64) -> [UInt64] {
      let made = strategy.make(seed: seed)
      defer { made.pointee.destroy(made) }
      var program = model_make(MODEL_COUNTER, 3, 4)
      return (0..<40).map { _ in
        #expect(made.pointee.begin(made))
        return model_execute(&program, made, model_options()).order
      }
    }
    #expect(orders(5) == orders(5))
    if strategy != .dfs && strategy != .dpor { #expect(orders(5) != orders(6)) }
  }

  @Test("round robin ends after the quantum that is as long as the longest execution")
  func roundRobin() {
    let strategy = interlock_round_robin_create()!
    defer { strategy.pointee.destroy(strategy) }
    var program = model_make(MODEL_COUNTER, 2, 4)
    var run = model_run()
    model_run_all(&program, strategy, model_options(by_first_use: false, limit: 100), &run)
    defer { model_run_clear(&run) }
    #expect(run.executions == 10)
    #expect(run.traces.count > 2)
    #expect(!run.complete)
  }

  @Test("SURW draws the order with the short thread last as often as each other order")
  func uniform() {
    // One operation against eight: if all orders are equally likely, 1 of 9 has the one last.
    func share(_ strategy: Strategy) -> Int {
      var program = model_make(MODEL_COUNTER, 2, 8)
      program.slots.1 = model_make(MODEL_COUNTER, 2, 1).slots.1
      program.slots.1.lines.0.kind = UInt8(INTERLOCK_OPERATION_READ_WRITE.rawValue)
      let made = strategy.make()
      defer { made.pointee.destroy(made) }
      return (0..<2000).count { _ in
        _ = made.pointee.begin(made)
        _ = model_execute(&program, made, model_options())
        return model_last_state().pointee.variables.0 == 13
      }
    }
    #expect(share(.surw) > 130)
    #expect(share(.random) < 60)
  }

  @Test("SURW looks at each thread a few times per step, however many tasks one actor has")
  func costOfSURW() {
    // Executes, as an engine would, a thread that makes tasks, each of which takes the actor once.
    // The second execution uses the counts of the first one.
    func looks(tasks: Int) -> Double {
      let surw = Strategy.surw.make()
      defer { surw.pointee.destroy(surw) }
      let start = interlock_operation(
        kind: UInt16(INTERLOCK_OPERATION_START.rawValue), flags: 0, object: 0, other: 0)
      let lock = interlock_operation(
        kind: UInt16(INTERLOCK_OPERATION_LOCK.rawValue), flags: 0, object: 1, other: 0)
      for _ in 0..<2 {
        #expect(surw.pointee.begin(surw))
        var pending = [start]
        var current: Int32 = -1
        func withState(_ work: (inout interlock_exploration_state) -> Void) {
          let enabled = pending.indices.filter { pending[$0].kind != 0 }.map { UInt32($0) }
          pending.withUnsafeBufferPointer { pending in
            enabled.withUnsafeBufferPointer { enabled in
              var state = interlock_exploration_state(
                threads: UInt32(pending.count), pending: pending.baseAddress,
                enabled: enabled.baseAddress, enabled_count: UInt32(enabled.count),
                current: current)
              work(&state)
            }
          }
        }
        while pending.contains(where: { $0.kind != 0 }) {
          withState { current = surw.pointee.choose(surw, &$0) }
          var done = pending[Int(current)]
          if current > 0 {
            pending[Int(current)] = interlock_operation()
          } else if pending.count <= tasks {
            pending.append(lock)
          } else {
            pending[0] = interlock_operation()
          }
          surw.pointee.performed(surw, UInt32(current), &done, 1)
        }
        withState { surw.pointee.end(surw, INTERLOCK_EXECUTION_PASSED, &$0) }
      }
      let steps = Double(2 * (2 * tasks + 1))
      return Double(interlock_surw_looks(surw)) / steps
    }
    let few = looks(tasks: 50)
    let many = looks(tasks: 400)
    // The looks grow with the number of threads that can run: 8 times as many.
    #expect(few > 0)
    #expect(many < 10 * few, "\(few) for a step of 50 tasks, \(many) for one of 400")
    #expect(many < 4 * 400, "\(many) for a step of 400 tasks")
  }

  @Test("the samplers of the portfolio take turns, and reach every order of a small program")
  func portfolio() {
    var program = model_make(MODEL_LOCKS, 2, 4)
    let portfolio = interlock_portfolio_create(1)!
    defer { portfolio.pointee.destroy(portfolio) }
    var run = model_run()
    defer { model_run_clear(&run) }
    model_run_all(&program, portfolio, model_options(by_first_use: false, limit: 4000), &run)
    #expect(run.executions == 4000)
    #expect(run.traces.count == 70)
    #expect(!run.complete)
  }

  @Test("the estimate of the share reached grows to 1 as sampling repeats itself")
  func estimate() throws {
    let estimate = try #require(interlock_estimate_create())
    defer { interlock_estimate_destroy(estimate) }
    let recorder = interlock_recorder_create(interlock_random_walk_create(3), true)!
    defer { recorder.pointee.destroy(recorder) }
    var program = model_make(MODEL_COUNTER, 2, 4)
    var early = 0.0
    for execution in 1...3000 {
      _ = recorder.pointee.begin(recorder)
      _ = model_execute(&program, recorder, model_options())
      #expect(interlock_estimate_add(estimate, interlock_recorder_get(recorder).trace))
      if execution == 20 { early = interlock_estimate_coverage(estimate) }
    }
    #expect(interlock_estimate_coverage(estimate) > 0.99)
    #expect(early < 0.9)
    // Sampling finds as many distinct orders as DPOR runs.
    let dpor = interlock_dpor_create(
      interlock_dpor_options(objects_keep_their_numbers: true, shard: 0, shards: 1))!
    defer { dpor.pointee.destroy(dpor) }
    var run = model_run()
    model_run_all(&program, dpor, model_options(), &run)
    defer { model_run_clear(&run) }
    #expect(interlock_estimate_distinct(estimate) == run.executions)
  }
}
