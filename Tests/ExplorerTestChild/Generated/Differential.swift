import CInterlockExplorer
import Foundation

/// Compares the outcomes that the search finds in generated programs with the outcomes of the real
/// Dispatch and the real runtime, or with those of another search.
enum Differential {
  struct Options {
    var first: UInt64 = 0
    var count: UInt64 = 1
    var areSmall = false
    /// The number of real executions. With 0, the program is compared with another search: with
    /// `randomOrders` random orders, or with depth-first search if that is 0 too.
    var runs = 0
    var randomOrders: UInt64 = 0
    /// The other search knows each fact from the start. It leaves every wait of a task and every
    /// actor's queue to the runtime.
    var knowsFacts = false
    /// The largest number of explored executions of a program.
    var executions: UInt64 = 20_000
    var printsPrograms = false
  }

  /// The outcomes that a search finds.
  private struct Found {
    let outcomes: Set<String>
    let executions: UInt64
    let isFinished: Bool
    /// The reason why orders are missing.
    let reason: String?
    let escape: String
    let failure: String?

    /// Copies the texts of `result`, which the next exploration overwrites.
    init(_ outcomes: Set<String>, _ result: interlock_exploration_result, reason: String?) {
      self.outcomes = outcomes
      self.reason = reason
      executions = result.executions
      isFinished = result.is_complete && result.escaped_count == 0
      escape = result.escaped_count > 0 ? ", \(string(result.escaped[0].name))" : ""
      failure = result.failures > 0 ? String(cString: result.text) : nil
    }
  }

  /// Prints a line for each program, the details of each difference, and the sums.
  static func run(_ options: Options) {
    var finished = 0
    var unfinished = 0
    var stuck = 0
    var outside = 0
    var modelled = 0
    var unreal = 0
    var seen = 0
    for seed in options.first..<options.first + options.count {
      let program = GeneratedProgram(seed: seed, isSmall: options.areSmall)
      if options.printsPrograms { print(program.text) }
      let reduced = explore(program, options, interlock_dpor_create(interlock_dpor_options()))
      var other: Set<String>
      var isFinished = reduced.isFinished
      var why = ""
      if let failure = reduced.failure {
        // Real threads would wait for ever.
        stuck += 1
        print("seed=\(seed) stuck: \(failure)\n\(program.text)")
        continue
      }
      if options.runs > 0 {
        other = RealRuns(program, options.runs).outcomes
      } else {
        var limited = options
        if options.randomOrders > 0 { limited.executions = options.randomOrders }
        let all = explore(
          program, limited,
          options.randomOrders > 0
            ? interlock_random_walk_create(program.seed)
            : options.knowsFacts
              ? interlock_dpor_create(interlock_dpor_options()) : interlock_dfs_create(.max),
          facts: options.knowsFacts ? allFacts : 0)
        other = all.outcomes
        isFinished = isFinished && (all.isFinished || options.randomOrders > 0)
        if all.isFinished, !reduced.outcomes.isSubset(of: other) {
          unreal += 1
          let more = reduced.outcomes.subtracting(other).sorted().joined(separator: "; ")
          print("seed=\(seed) unreal: \(more)\n\(program.text)")
        }
        why = ", of \(all.executions)"
      }
      let missing = other.subtracting(reduced.outcomes).sorted()
      if isFinished { finished += 1 } else { unfinished += 1 }
      modelled += reduced.outcomes.count
      seen += other.count
      print(
        "seed=\(seed) \(isFinished ? "finished" : "unfinished") \(reduced.executions)"
          + " executions\(why), \(reduced.outcomes.count) outcomes, \(other.count) others"
          + reduced.escape + (reduced.reason.map { ", " + $0 } ?? ""))
      guard isFinished, !missing.isEmpty else { continue }
      outside += 1
      if options.runs == 0 { print("the shortest that differs: " + shorten(program, options).text) }
      print("seed=\(seed) outside: \(missing.joined(separator: "; "))")
      print("inside: \(reduced.outcomes.sorted().prefix(40).joined(separator: "; "))")
      print(program.text)
    }
    print("finished=\(finished)")
    print("unfinished=\(unfinished)")
    print("stuck=\(stuck)")
    print("outside=\(outside)")
    print("unreal=\(unreal)")
    print("modelled=\(modelled)")
    print("seen=\(seen)")
  }

  /// Leaves out calls and parties as long as the two searches still differ.
  private static func shorten(_ program: GeneratedProgram, _ options: Options) -> GeneratedProgram {
    var shortest = program
    var limited = options
    if options.randomOrders > 0 { limited.executions = options.randomOrders }
    var tried = 0
    while tried < shortest.callCount {
      let shorter = shortest.withoutCall(tried)
      let reduced = explore(shorter, options, interlock_dpor_create(interlock_dpor_options()))
      let all = explore(
        shorter, limited,
        options.randomOrders > 0 ? interlock_random_walk_create(1) : interlock_dfs_create(.max))
      if reduced.isFinished, !all.outcomes.isSubset(of: reduced.outcomes) {
        shortest = shorter
        tried = 0
      } else {
        tried += 1
      }
    }
    let reduced = explore(shortest, options, interlock_dpor_create(interlock_dpor_options()))
    let all = explore(shortest, limited, interlock_random_walk_create(1))
    print("missing: " + all.outcomes.subtracting(reduced.outcomes).sorted().joined(separator: "; "))
    print("found: " + reduced.outcomes.sorted().joined(separator: "; "))
    return shortest
  }

  private final class Running {
    let program: GeneratedProgram
    init(_ program: GeneratedProgram) { self.program = program }
  }

  /// All facts but `INTERLOCK_FACT_SECTIONS`, which would begin a new search.
  private static let allFacts =
    INTERLOCK_ALL_FACTS.rawValue & ~INTERLOCK_FACT_SECTIONS.rawValue

  private static func explore(
    _ program: GeneratedProgram, _ differential: Options,
    _ make: @autoclosure () -> UnsafeMutablePointer<interlock_strategy>, facts: UInt32 = 0
  ) -> Found {
    var options = interlock_exploration_options()
    options.executions = differential.executions
    options.steps = 10_000
    options.warm_ups = 2
    options.keeps_going = true
    options.facts = facts
    let running = Running(program)
    while true {
      var result = interlock_exploration_result()
      let strategy = make()
      Outcomes.forget()
      let status = interlock_explore(
        &options,
        {
          Outcomes.note(Unmanaged<Running>.fromOpaque($0!).takeUnretainedValue().program.execute())
          return true
        }, Unmanaged.passUnretained(running).toOpaque(), strategy, &result)
      let reason =
        String(cString: strategy.pointee.name) == "dpor"
        ? interlock_dpor_get_statistics(strategy).incomplete.map { String(cString: $0) } : nil
      strategy.pointee.destroy(strategy)
      guard status == INTERLOCK_EXPLORE_RAN else { fatalError("not explored: \(status)") }
      options.facts = result.facts
      if !result.must_begin_anew {
        return Found(Set(Outcomes.sorted), result, reason: reason)
      }
    }
  }
}
