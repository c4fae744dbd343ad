// Explores one body for the tests, and prints the result with one line for each fact.
import CInterlockAnalysis
import CInterlockEvents
import CInterlockExplorer
import Foundation
import Interlock

private let bodies =
  lockBodies + waitBodies + threadBodies + queueBodies + suspensionBodies
  + dispatchBodies + taskBodies + reuseBodies + timeBodies + continuationBodies
  + programBodies + sectionBodies + executorBodies + fileBodies + fileBodiesOfThree + listingBodies
  + escapingBodies + faultBodies + swiftMutexBodies + taskOrderBodies
  + taskOutcomeBodies + timerSourceBodies + referenceBodies + workItemBodies + dataSourceBodies
  + releaseBodies + libraryBodies

private struct Arguments {
  var body = ""
  var executions: UInt64 = 1000
  var seed: UInt64 = 1
  var steps: UInt64 = 10_000
  var chosenSteps: UInt64 = 0
  var determinismChecks: UInt32 = 0
  var choices: [UInt32]?
  var poolWidth: UInt32 = 3
  var usesOSThreads = false
  var search = "random"
  var readsEvents = false
  var facts: UInt32 = 0
  var printsTrace = false
  var readsWaits = false
  var isIsolated = false
  var forksEach = false
  /// The number of processes that explore at once; 0 explores in this process.
  var jobs = 0
  /// The index of the part of the orders to explore, from 0, and the number of parts.
  var shard: UInt32 = 0
  var shards: UInt32 = 1
  var keepsGoing = false
  var faultsBeside = false
  var budget: UInt64 = 0
  var executionTime: UInt64 = 300_000_000
  /// The number of tasks in the bodies of variable size.
  var size = 100
  var followsOrder = false
  var time = INTERLOCK_TIME_IS_LOWER_BOUND

  init(_ arguments: [String]) {
    var rest = arguments[...]
    body = rest.popFirst() ?? ""
    while let option = rest.popFirst() {
      switch option {
      case "--executions": executions = rest.popFirst().flatMap(UInt64.init) ?? executions
      case "--seed": seed = rest.popFirst().flatMap(UInt64.init) ?? seed
      case "--steps": steps = rest.popFirst().flatMap(UInt64.init) ?? steps
      case "--chosen-steps": chosenSteps = rest.popFirst().flatMap(UInt64.init) ?? chosenSteps
      case "--check": determinismChecks = rest.popFirst().flatMap(UInt32.init) ?? 0
      case "--read-events": readsEvents = true
      case "--search": search = rest.popFirst() ?? ""
      case "--read-waits": readsWaits = true
      case "--trace": printsTrace = true
      case "--facts": facts = rest.popFirst().flatMap(UInt32.init) ?? 0
      case "--isolated": isIsolated = true
      case "--forks-each": (isIsolated, forksEach) = (true, true)
      case "--jobs": jobs = rest.popFirst().flatMap(Int.init) ?? jobs
      case "--shard": shard = rest.popFirst().flatMap(UInt32.init) ?? shard
      case "--shards": shards = rest.popFirst().flatMap(UInt32.init) ?? shards
      case "--pool-width": poolWidth = rest.popFirst().flatMap(UInt32.init) ?? poolWidth
      case "--os-threads": usesOSThreads = true
      case "--follow-order": followsOrder = true
      case "--keep-going": keepsGoing = true
      case "--exact-time": time = INTERLOCK_TIME_IS_EXACT
      case "--budget": budget = rest.popFirst().flatMap(UInt64.init) ?? 0
      case "--execution-time":
        executionTime = rest.popFirst().flatMap(UInt64.init) ?? executionTime
      case "--size": size = rest.popFirst().flatMap(Int.init) ?? size
      case "--fault-beside": faultsBeside = true
      case "--replay":
        choices = (rest.popFirst() ?? "").split(separator: ",").compactMap { UInt32($0) }
      default: fatalError("unknown option \(option)")
      }
    }
  }

  func strategy(job: Int = 0) -> UnsafeMutablePointer<interlock_strategy> {
    if let choices { return interlock_replay_create(choices, choices.count) }
    switch search {
    case "dpor":
      return interlock_dpor_create(
        interlock_dpor_options(objects_keep_their_numbers: false, shard: shard, shards: shards))
    case "dfs": return interlock_dfs_create(.max)
    default: return interlock_random_walk_create(seed + UInt64(job))
    }
  }
}

if CommandLine.arguments.dropFirst().first == "generated" {
  var options = Differential.Options()
  var rest = CommandLine.arguments.dropFirst(2)
  while let option = rest.popFirst() {
    switch option {
    case "--first": options.first = rest.popFirst().flatMap(UInt64.init) ?? 0
    case "--count": options.count = rest.popFirst().flatMap(UInt64.init) ?? 1
    case "--runs": options.runs = rest.popFirst().flatMap(Int.init) ?? 0
    case "--executions":
      options.executions = rest.popFirst().flatMap(UInt64.init) ?? options.executions
    case "--random": options.randomOrders = rest.popFirst().flatMap(UInt64.init) ?? 0
    case "--know-facts": options.knowsFacts = true
    case "--small": options.areSmall = true
    case "--print": options.printsPrograms = true
    default: fatalError("unknown option \(option)")
    }
  }
  Differential.run(options)
  exit(0)
}

if CommandLine.arguments.dropFirst().first == "order-program" {
  try printOutcome(ofOrderProgram: CommandLine.arguments.dropFirst(2))
  exit(0)
}

private let arguments = Arguments(Array(CommandLine.arguments.dropFirst()))
private let allBodies = bodies + manyTaskBodies(arguments.size)
guard let body = allBodies.first(where: { $0.name == arguments.body }) else {
  print("bodies=" + allBodies.map(\.name).joined(separator: ","))
  exit(64)
}

private final class Running {
  let body: Body
  init(_ body: Body) { self.body = body }
}

private func explore(facts: UInt32) -> interlock_exploration_result {
  var options = interlock_exploration_options()
  options.executions = arguments.executions
  options.steps = arguments.steps
  options.chosen_steps = arguments.chosenSteps
  // A thread that is not explored may have to wait for a processor.
  options.execution_time = arguments.faultsBeside ? 10_000_000_000 : arguments.executionTime
  options.warm_ups = arguments.forksEach ? 0 : 2
  options.determinism_checks = arguments.determinismChecks
  options.time = arguments.time
  options.keeps_going = arguments.keepsGoing
  options.uses_os_threads = arguments.usesOSThreads
  if arguments.readsWaits {
    options.deadlocked = { _ in
      let cycle = blockedThreads().filter { $0.held_count > 0 }
      Outcomes.note("\(cycle.count) hold and wait")
    }
  }
  options.facts = facts
  options.budget = arguments.budget
  options.token_body = UnsafePointer(strdup(body.name))
  options.pool_width = arguments.poolWidth
  options.forks_each = arguments.forksEach
  var result = interlock_exploration_result()
  let strategy = arguments.strategy()
  let running = Running(body)
  if arguments.jobs > 0 {
    strategy.pointee.destroy(strategy)
    return exploreInJobs(&options, running)
  }
  let run = arguments.isIsolated ? interlock_explore_isolated : interlock_explore
  let status = run(
    &options,
    { Unmanaged<Running>.fromOpaque($0!).takeUnretainedValue().body.run() },
    Unmanaged.passUnretained(running).toOpaque(), strategy, &result)
  strategy.pointee.destroy(strategy)
  guard status == INTERLOCK_EXPLORE_RAN else { fatalError("not explored: \(status)") }
  return result
}

private func exploreInJobs(
  _ options: inout interlock_exploration_options, _ running: Running
) -> interlock_exploration_result {
  let jobs = interlock_jobs_create()
  let takesParts = arguments.search == "dpor"
  let strategies = (0..<arguments.jobs).map { job in
    let strategy = arguments.strategy(job: job)
    if takesParts { interlock_dpor_share(strategy, jobs, UInt32(job)) }
    return Optional(strategy)
  }
  var result = interlock_exploration_result()
  let status = interlock_explore_in_jobs(
    &options,
    { Unmanaged<Running>.fromOpaque($0!).takeUnretainedValue().body.run() },
    Unmanaged.passUnretained(running).toOpaque(), strategies, UInt32(strategies.count), jobs,
    takesParts, &result)
  for case let strategy? in strategies { strategy.pointee.destroy(strategy) }
  interlock_jobs_destroy(jobs)
  guard status == INTERLOCK_EXPLORE_RAN else { fatalError("not explored: \(status)") }
  return result
}

/// The threads that wait for a mutex according to the wait table.
private func blockedThreads() -> [interlock_thread_view] {
  var views = [interlock_thread_view](repeating: interlock_thread_view(), count: 1024)
  let count = interlock_waits_threads(&views, views.count)
  return views.prefix(count).filter { $0.wait_kind == INTERLOCK_OBJECT_MUTEX.rawValue }
}

if arguments.faultsBeside { FaultBeside.start() }
if arguments.readsWaits, !interlock_waits_start() { fatalError("no event is seen") }
if arguments.followsOrder {
  guard interlock_clocks_start() else { fatalError("no event is seen") }
  SectionTracking.followOrder()
}
if arguments.readsEvents, !EventReader.start() { fatalError("no event is seen") }
private var result = explore(facts: arguments.facts)
while result.must_begin_anew { result = explore(facts: result.facts) }

print("executions=\(result.executions)")
print("facts=\(result.facts)")
print("complete=\(result.is_complete)")
print("cut=\(result.cut)")
print("bounds-sleeps=\(result.bounds_sleeps)")
print("bounds-wake-ups=\(result.bounds_wake_ups)")
print("tasks-block=\(result.tasks_block)")
print("failures=\(result.failures)")
print("verdict=\(result.verdict.rawValue)")
print("signal=\(result.signal)")
print("text=\(String(cString: result.text))")
print("hash=\(result.trace_hash)")
print("steps=\(result.steps)")
print("looks=\(result.looks)")
print("stacks=\(result.most_stacks)")
print("dry=\(result.dry_pool_width)")
print("left=\(result.left_behind)")
let escaped = UnsafeBufferPointer(start: result.escaped, count: Int(result.escaped_count))
print("escaped=\(escaped.map { string($0.name) }.joined(separator: ", "))")
print("nanoseconds=\(result.nanoseconds)")
if arguments.readsWaits { print("blocked=\(blockedThreads().count)") }
if arguments.readsEvents {
  print("acquisitions=\(EventReader.acquisitions)")
  print("unanswered=\(EventReader.unanswered)")
  print("unreleased=\(EventReader.unreleased)")
  print("errors=\(EventReader.errors)")
}
switch ExploredRaces.last {
case .sections(let race):
  let kind = race.overlapped ? "overlap" : "unordered"
  print("race=\(kind): \(race.first.place) \(race.second.place)")
case .memory(let race): print("race=memory: \(race.sentence)")
case nil: print("race=")
}
print("outcomes=" + Outcomes.sorted.joined(separator: "; "))
if arguments.printsTrace {
  for step in UnsafeBufferPointer(start: result.trace, count: result.trace_count) {
    let name = String(cString: interlock_operation_name(step.operation.kind))
    print("thread \(step.thread) of \(step.enabled): \(name) \(step.operation.object)")
  }
}
private let choices = UnsafeBufferPointer(start: result.choices_made, count: result.choice_count)
print("choices=" + choices.map(String.init).joined(separator: ","))
