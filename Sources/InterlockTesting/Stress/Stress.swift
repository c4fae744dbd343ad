import Explorer
import Foundation
import Interlock
import InterlockWatchdog
import Testing

/// Drives a subject from several callers at once. Failures become issues of the test.
///
/// In each round every caller runs the body once. All callers are released together. Near-miss
/// delays are on, sections are checked, and the watchdog is armed. The run ends after the first
/// round with an issue:
///
/// - a conflict between two sections, at the line of one of them, with both stacks; it does not
///   trap;
/// - an error that the body throws, recorded once for each text;
/// - a failed expectation in the body.
///
/// A hang ends the process with code 86 and a report of the watchdog, which names the running
/// tests. Each failure prints a string that repeats the run with the same numbers of
/// `StressCaller.random(in:)`, delays and starts. The string does not repeat the scheduler's
/// choices.
///
///     @Test func cacheIsThreadSafe() async throws {
///       try await stress(MyCache(), callers: 8, rounds: 200) { cache, caller in
///         cache.set("key \(caller.random(in: 0..<4))", caller.index)
///         _ = cache.get("key \(caller.random(in: 0..<4))")
///       }
///     }
///
/// Works in Swift Testing and XCTest. One stress runs at a time in a process; others wait.
///
/// - Parameters:
///   - subject: The object to drive: a cache, an actor, a service, a view model.
///   - callers: The number of callers, 1 to 1024.
///   - rounds: The number of rounds, 1 to 1,000,000.
///   - kind: How the callers run.
///   - hangLimit: The longest time without progress of the process, from 0.1 s. A certain deadlock
///     is reported at once.
///   - isolation: Where the stress runs. In a child process, a crash or hang is an issue of this
///     test, and other tests go on.
///   - replay: The string of a failure, with its callers, rounds, kind and seed. Without it, the
///     environment variable `INTERLOCK_STRESS_REPLAY` is used if its string belongs to this test,
///     and refused if it is not a string that a failure has printed.
///   - function: The test function, which identifies replay strings.
///   - fileID: The file, as `#fileID`, for issues without a line of their own.
///   - filePath: The file's path.
///   - line: The line.
///   - column: The column.
///   - body: The work of each caller in a round.
/// - Throws: `StressError` if an argument is wrong or the call is nested in another;
///   `CancellationError` if the test was cancelled.
public func stress<Subject: Sendable>(
  _ subject: Subject, callers: Int = 8, rounds: Int = 100, by kind: StressCallers = .threads,
  hangLimit: Duration = .seconds(10), isolation: StressIsolation = .none, replay: String? = nil,
  function: String = #function, fileID: String = #fileID, filePath: String = #filePath,
  line: Int = #line, column: Int = #column,
  _ body: @escaping @Sendable (Subject, StressCaller) async throws -> Void
) async throws {
  let sourceLocation = SourceLocation(
    fileID: fileID, filePath: filePath, line: line, column: column)
  let name = "\(fileID) \(function)"
  let plan = try stressPlan(callers, rounds, kind, replay: replay, of: name)
  guard hangLimit >= .milliseconds(100) else {
    throw StressError("'hangLimit' must be at least 0.1 seconds, found \(hangLimit)")
  }
  guard !StressNesting.isInside, !Exploration.isExplored else {
    throw StressError("a body that is stressed or explored cannot stress another")
  }
  let identity = IsolatedCall.Identity(name, at: sourceLocation)
  switch (IsolatedCall.current, isolation) {
  case (nil, .process):
    try await runInChild(plan, identity, at: sourceLocation)
  case (let call?, _) where call.identity == identity:
    let plan = try StressPlan(replay: call.replay, function: name)
    await IsolatedChannel.passIssues {
      await run(plan, subject, at: sourceLocation, hangLimit: hangLimit, body)
    }
  // A child executes one call only: another isolated call has its own child.
  case (_?, .process): return
  case (_, .none):
    let summary = await run(plan, subject, at: sourceLocation, hangLimit: hangLimit, body)
    print("stress: \(summary)")
  }
  try Task.checkCancellation()
}

/// Runs a stress in this process; returns its summary.
private func run<Subject: Sendable>(
  _ plan: StressPlan, _ subject: Subject, at location: SourceLocation, hangLimit: Duration,
  _ body: @escaping @Sendable (Subject, StressCaller) async throws -> Void
) async -> String {
  let place = "\(location.fileName):\(location.line)"
  let note = plan.note
  await AsyncTurns.ofStress.take()
  defer { AsyncTurns.ofStress.give() }
  let hadDelays = SectionTracking.restartDelays(seed: plan.seed)
  defer { SectionTracking.delays = hadDelays }
  let watch = WatchedWork.begin(limit: hangLimit, note: "stress at \(place); \(note)")
  defer { watch.end() }
  let scope = TestScope(at: location, note: note)
  let run = StressRun(plan, { subject }, scope, note: note, body)
  var count = 0
  await scope.run {
    count = await StressNesting.$isInside.withValue(true) { await run.rounds() }
  }
  return "\(summary(plan, count, run.failed, scope)); \(note)  \(place)"
}

/// Runs an isolated stress in a child process, and records the child's issues for the caller.
private func runInChild(
  _ plan: StressPlan, _ identity: IsolatedCall.Identity, at location: SourceLocation
) async throws {
  let result = try await IsolatedChild(for: identity, replay: plan.text).run()
  for issue in result.issues(of: location, note: plan.note) { issue.record(else: location) }
  if let summary = result.summary { print("stress: \(summary)") }
}

/// Marks the tasks of a stress.
enum StressNesting {
  @TaskLocal static var isInside = false
}

private func stressPlan(
  _ callers: Int, _ rounds: Int, _ kind: StressCallers, replay: String?, of name: String
) throws(StressError) -> StressPlan {
  if let replay { return try StressPlan(replay: replay, function: name) }
  let plan = try StressPlan(callers: callers, rounds: rounds, kind: kind, function: name)
  guard let variable = try StressPlan.replayOfEnvironment(),
    StressPlan.isReplay(variable, of: name)
  else { return plan }
  return try StressPlan(replay: variable, function: name)
}

/// The gap in a stress without sections or memory checks, and how to close it.
private let noChecks =
  ": a race would not show; mark the type, or link InterlockMemory and run \(memoryCommand)"

private func summary(
  _ plan: StressPlan, _ rounds: Int, _ hasFailed: Bool, _ scope: TestScope
) -> String {
  let what = "\(plan.callers) \(plan.kind.rawValue == "queue" ? "blocks" : plan.kind.rawValue)"
  if hasFailed { return "failed in round \(rounds) of \(plan.rounds), with \(what)" }
  let ran = "\(rounds) round\(rounds == 1 ? "" : "s") of \(what) without an issue"
  if !SectionTracking.isCompiledIn { return ran + "; sections are not compiled in" }
  if !scope.hasSections {
    return ran + "; no section was begun" + (MemoryRaceLog.isFed ? "" : noChecks)
  }
  let delays = SectionTracking.delayCounts.delays
  return ran + "; sections were checked, with \(delays) delay\(delays == 1 ? "" : "s")"
}
