import CInterlockExplorer
import StrategyTestsC
import Testing

/// Optimal DPOR against plain depth-first search, on programs of the model.
@Suite struct OptimalReductionTests {
  struct Known: Sendable, CustomTestStringConvertible {
    var name: String
    var program: model_known
    var threads, times: UInt32
    var executions: UInt64
    var testDescription: String { name }
  }

  /// Two crossed locks have three orders: one deadlock, and for each thread the order in which that
  /// thread takes both locks first.
  static let known: [Known] = [
    Known(name: "lock 2 × 4", program: MODEL_LOCKS, threads: 2, times: 4, executions: 70),
    Known(name: "lock 3 × 3", program: MODEL_LOCKS, threads: 3, times: 3, executions: 1680),
    Known(name: "counter 2 × 6", program: MODEL_COUNTER, threads: 2, times: 6, executions: 328),
    Known(name: "counter 3 × 4", program: MODEL_COUNTER, threads: 3, times: 4, executions: 7134),
    Known(name: "two locks", program: MODEL_SAME_ORDER, threads: 2, times: 1, executions: 2),
    Known(name: "locks crossed", program: MODEL_CROSSED, threads: 2, times: 1, executions: 3),
  ]

  @Test("each order that matters is run once, and none is cut off", arguments: known)
  func counts(_ known: Known) {
    var program = model_make(known.program, known.threads, known.times)
    let dpor = interlock_dpor_create(
      interlock_dpor_options(objects_keep_their_numbers: true, shard: 0, shards: 1))!
    defer { dpor.pointee.destroy(dpor) }
    var run = model_run()
    model_run_all(&program, dpor, model_options(by_first_use: false, limit: 0), &run)
    defer { model_run_clear(&run) }
    #expect(run.executions == known.executions)
    #expect(run.repeated == 0)
    #expect(run.cut == 0)
    #expect(run.complete)
    #expect(interlock_dpor_get_statistics(dpor).blocked == 0)
  }

  @Test(
    "every trace and outcome of plain search is found in random programs",
    arguments: Array(stride(from: UInt64(0), to: 5000, by: 500)))
  func random(_ seed: UInt64) {
    var comparison = model_comparison()
    model_compare(seed, 500, 1000, false, &comparison)
    #expect(comparison.programs >= 200)
    #expect(comparison.missing == 0, "program \(comparison.first_missing_seed)")
    #expect(comparison.traces_differ == 0)
    #expect(comparison.incomplete == 0)
    // The table does not know whether a timed wait is enabled, so a few orders are run twice.
    #expect(comparison.repetitions * 50 <= comparison.dpor_executions)
  }

  @Test(
    "every outcome of plain search is found if objects are numbered by their first use",
    arguments: Array(stride(from: UInt64(10_000), to: 10_800, by: 400)))
  func firstUse(_ seed: UInt64) {
    var comparison = model_comparison()
    model_compare(seed, 400, 1000, true, &comparison)
    #expect(comparison.programs >= 150)
    #expect(comparison.missing == 0, "program \(comparison.first_missing_seed)")
    #expect(comparison.incomplete == 0)
  }

  /// Larger programs, each of which showed a fault of an earlier version.
  @Test(
    "programs that showed faults keep all their outcomes",
    arguments: [97, 132, 207, 1520, 1933, 2148, 4211, 4626] as [UInt64], [false, true])
  func regressions(_ seed: UInt64, _ byFirstUse: Bool) {
    var comparison = model_comparison()
    model_compare(seed, 1, 200_000, byFirstUse, &comparison)
    #expect(comparison.programs == 1)
    #expect(comparison.missing == 0)
    #expect(comparison.traces_differ == 0)
    #expect(comparison.incomplete == 0)
  }

  @Test(
    "shards run each order that matters once, and share large searches",
    arguments: known, [2, 3, 7] as [UInt32])
  func shards(_ known: Known, _ count: UInt32) {
    var program = model_make(known.program, known.threads, known.times)
    var traces = model_set()
    defer { model_set_clear(&traces) }
    var executions: UInt64 = 0
    for shard in 0..<count {
      let dpor = interlock_dpor_create(
        interlock_dpor_options(objects_keep_their_numbers: true, shard: shard, shards: count))!
      defer { dpor.pointee.destroy(dpor) }
      var run = model_run()
      model_run_all(&program, dpor, model_options(by_first_use: false, limit: 0), &run)
      defer { model_run_clear(&run) }
      #expect(run.complete)
      model_set_add_all(&traces, &run.traces)
      let own = interlock_dpor_get_statistics(dpor).executions
      executions += own
      if known.executions > 1000 { #expect(own > 0 && own < known.executions * 3 / 4) }
    }
    #expect(executions == known.executions)
    #expect(traces.count == Int(known.executions))
  }

  @Test(
    "shards together find every trace and outcome of plain search in random programs",
    arguments: Array(stride(from: UInt64(0), to: 2000, by: 500)), [2, 5] as [UInt32])
  func shardsOfRandom(_ seed: UInt64, _ count: UInt32) {
    var comparison = model_comparison()
    model_compare_shards(seed, 500, 1000, false, count, &comparison)
    #expect(comparison.programs >= 200)
    #expect(comparison.missing == 0, "program \(comparison.first_missing_seed)")
    #expect(comparison.traces_differ == 0)
    #expect(comparison.incomplete == 0)
    #expect(comparison.repetitions * 50 <= comparison.dpor_executions)
    // If objects are numbered by their first use, the search confuses two of them more often.
    model_compare_shards(10_000 + seed, 200, 1000, true, count, &comparison)
    #expect(comparison.programs >= 80)
    #expect(comparison.missing == 0, "program \(comparison.first_missing_seed)")
    #expect(comparison.incomplete == 0)
  }

  @Test("a signal wakes any of the waiters")
  func picks() {
    var program = model_make(MODEL_WAITERS, 4, 1)
    let search = interlock_dfs_create(.max)!
    let dpor = interlock_dpor_create(
      interlock_dpor_options(objects_keep_their_numbers: true, shard: 0, shards: 1))!
    var all = model_run()
    var reduced = model_run()
    model_run_all(&program, search, model_options(), &all)
    model_run_all(&program, dpor, model_options(), &reduced)
    search.pointee.destroy(search)
    dpor.pointee.destroy(dpor)
    #expect(all.complete && reduced.complete)
    #expect(reduced.outcomes.count == all.outcomes.count)
    #expect(reduced.traces.count == all.traces.count)
    #expect(reduced.repeated == 0)
    model_run_clear(&all)
    model_run_clear(&reduced)
  }

  @Test("preemptions beyond the bound take depth-first search's claim of completeness away")
  func bound() {
    var program = model_make(MODEL_COUNTER, 2, 4)
    for (bound, complete) in [(UInt32(1), false), (100, true)] {
      let search = interlock_dfs_create(bound)!
      defer { search.pointee.destroy(search) }
      var run = model_run()
      model_run_all(&program, search, model_options(by_first_use: false, limit: 0), &run)
      defer { model_run_clear(&run) }
      #expect(run.complete == complete)
      #expect(!run.reached_limit)
    }
  }
}
