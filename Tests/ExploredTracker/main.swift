// Explores the algorithm of sections itself, and prints the result, for the tests.
//
//     ExploredTracker [--threads N] [--sections N] [--readers N] [--one-place]
//                     [--delay-publication] [--executions N] [--states [--samples N]]
//
// Runs every order that matters. With `--states`, reaches every state in as few executions as
// possible, and then runs N random executions, which must reach no other state.
internal import CInterlockExplorer
// Contains the interposed calls.
import Dispatch
internal import Glibc
internal import SectionTable

private func number(_ name: String, _ other: Int) -> Int {
  let arguments = CommandLine.arguments
  guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count,
    let number = Int(arguments[index + 1])
  else { return other }
  return number
}

private let run = Run(
  threads: number("--threads", 2), sections: number("--sections", 1),
  readers: number("--readers", 0), isOnePlace: CommandLine.arguments.contains("--one-place"))
Access.delaysPublication = CommandLine.arguments.contains("--delay-publication")
SectionTracking.onConflict = .record
// Stacks belong to a single thread.
SectionTracking.stackDepth = 0

run.warmUp()
private var options = interlock_exploration_options()
options.executions = UInt64(number("--executions", 0))
options.warm_ups = 1
options.determinism_checks = 1
private var result = interlock_exploration_result()
private let searches = CommandLine.arguments.contains("--states")
private let strategy =
  searches
  ? StateSearch.search { run.state } : interlock_dpor_create(interlock_dpor_options())
private let status = interlock_explore(
  &options, Run.body,
  Unmanaged.passUnretained(run).toOpaque(), strategy, &result)
guard status == INTERLOCK_EXPLORE_RAN else {
  print("not explored: \(status.rawValue)")
  exit(64)
}
// Removed, because they would be reported at the end of the process.
ConflictLog.shared.removeAll()
print("executions=\(result.executions)")
print("cut=\(result.cut)")
print("complete=\(result.is_complete)")
print("verdict=\(result.verdict.rawValue)")
// True if the search has ended by itself, not by a limit.
print("finished=\(strategy?.pointee.begin(strategy) == false)")
print("steps=\(result.steps)")
print("states=\(StateSearch.states.count)")
print("overlaps=\(run.allOverlaps)")
print("reported=\(run.reported)")
print("missed=\(run.hasMissed)")
print("lost-end=\(run.hasLostEnd)")
print("nanoseconds=\(result.nanoseconds)")
private let samples = number("--samples", 0)
if searches, samples > 0 {
  let known = StateSearch.states.count
  options.executions = UInt64(samples)
  let sampled = interlock_explore(
    &options, Run.body, Unmanaged.passUnretained(run).toOpaque(),
    StateSearch.sample { run.state }, &result)
  print("sampled=\(sampled == INTERLOCK_EXPLORE_RAN ? result.executions : 0)")
  print("unknown=\(StateSearch.states.count - known)")
}
