import Foundation
import Interlock
import StressRunner
import TestSupport
import Testing
import ProcessInspection
import Hangs

@testable import Reports

/// The message of a verdict, for every way in which a trial can end.
@Suite("The message of a verdict")
struct VerdictMessageTests {
  @Test("The message of every verdict is the one in the golden file")
  func golden() {
    let lines = groups.map { results in
      results.map { "\(verdictText($0.verdict)): \($0.message)\n" }.joined()
    }
    expectGolden(lines.joined(separator: "\n"), "messages.txt")
  }

  @Test("The message of a deadlock does not name compiler-generated code as the user's")
  func compilerGenerated() {
    let made = [
      StackFrame(
        address: 1, function: "closure #1 in wait()", file: "/<compiler-generated>", line: 0,
        image: "app"),
      frame("reabstraction thunk helper from () -> ()", image: "app"),
    ]
    let message = stalled([group(3, semaphore + made + user + worker)]).message
    #expect(message.contains("3 of them wait in Cache.get(_:)"), "\(message)")
  }

  @Test("The message of a deadlock does not name code that has called the runner")
  func runner() throws {
    OwnCode.register(OwnCode.stressRunner)
    let folder = try #require(OwnCode.stressRunner.first { $0.part == .runner }).folder
    let main = [
      frame("ppoll", image: "libc.so.6"),
      StackFrame(
        address: 1, function: "serveMainQueue()",
        file: folder + "/Platform/Platform.swift", line: 49, image: "app"),
      StackFrame(
        address: 2, function: "main()", file: "/src/Stress.swift", line: 58, image: "app"),
    ]
    #expect(main[1].isRunners)
    let message = stalled([group(1, semaphore + user + worker), group(3, main)]).message
    #expect(message.contains("1 of them waits in Cache.get(_:)"), "\(message)")
    #expect(!stalled([group(3, main)]).message.contains("Stress.swift"))
  }

  /// A trial of 1,000 calls, judged by its observation.
  private func result(
    _ ending: Observation.Ending, completed: Int = 1000, finished: Bool = false,
    oracles: [Oracle] = [], limits: Limits = Limits(), excludesOrder: Bool = false,
    _ change: (inout Observation) -> Void = { _ in }
  ) -> TrialResult {
    var scenario = Samples.scenario(
      "reads", ["x": .init(verdict: .passed, excludesOrder: excludesOrder)])
    scenario.oracles = oracles
    scenario.limits = limits
    return Samples.result(scenario, "x") { seen in
      seen.ending = ending
      seen.completed = completed
      seen.finished = finished
      seen.seconds = 3
      seen.processors = 2
      change(&seen)
    }
  }

  // MARK: Parts

  private func frame(_ function: String, image: String? = nil, line: Int? = nil) -> StackFrame {
    StackFrame(
      address: UInt(line ?? function.count), function: function,
      file: line == nil ? nil : "/src/Cache.swift", line: line, image: image)
  }

  private var user: [StackFrame] { [frame("Cache.get(_:)", image: "app", line: 42)] }
  private var worker: [StackFrame] {
    [
      frame("_dispatch_worker_thread", image: "libdispatch.so"),
      frame("start_thread", image: "libc.so.6"),
    ]
  }
  private var semaphore: [StackFrame] {
    [frame("_dispatch_semaphore_wait_slow", image: "libdispatch.so")]
  }
  private var mutex: [StackFrame] { [frame("pthread_mutex_lock", image: "libc.so.6")] }

  private func group(
    _ count: Int, _ stack: [StackFrame], state: String = "sleeping"
  ) -> Observation.ThreadGroup {
    .init(count: count, name: "thread", state: state, stack: stack)
  }

  private func conflict(_ change: (inout Conflict) -> Void = { _ in }) -> Conflict {
    func side(_ mode: Mode, _ line: Int, synched: Bool) -> Conflict.Side {
      .init(
        mode: mode, synched: synched,
        place: Place(file: "App/A.swift", line: line, function: "f\(line)()"), thread: "1",
        queue: nil, stack: [])
    }
    var conflict = Conflict(
      resource: "users", first: side(.noWrite, 3, synched: false),
      second: side(.noReadWrite, 7, synched: true))
    change(&conflict)
    return conflict
  }

  private let failure = Observation.OracleFailure(
    oracle: .countMatches, evidence: "count 3, entries 4")

  private let givenUp = ScriptRecord(
    passages: [], givenUp: "step 2 of 2, B's call 1 ends, was not reached within 1.5 s")

  // MARK: Results

  /// Results of every kind, a group for each kind of verdict.
  var groups: [[TrialResult]] {
    [passed, races, deadlocks, violations, crashes, timeouts, skipped]
  }

  private var passed: [TrialResult] {
    [
      result(.exited(code: 0), finished: true),
      result(.exited(code: 0), finished: true, excludesOrder: true) { $0.script = givenUp },
    ]
  }

  private var races: [TrialResult] {
    let conflicts = [
      conflict(),
      conflict { $0.count = 12 },
      conflict {
        $0.first.part = "keys 1 to 4"
        $0.instance = "#3"
      },
      conflict { $0.witness = .init(before: "12 bytes", after: "13 bytes") },
    ]
    return conflicts.map { conflict in
      result(.exited(code: 66), completed: 3) { $0.conflicts = [conflict] }
    } + [
      result(.signalled(number: SIGSEGV), completed: 3) {
        $0.conflicts = [conflict(), conflict()]
        $0.oracleFailures = [failure]
      }
    ]
  }

  /// A child that stalled 2 s before it was ended at 3 s, with these threads and its main thread.
  private func stalled(
    _ groups: [Observation.ThreadGroup], completed: Int = 0, grows: Bool = false,
    waits: WaitSnapshot? = nil
  ) -> TrialResult {
    result(.stalled, completed: completed) { seen in
      seen.detectionSeconds = 2
      seen.callersInside = 3
      seen.callersWaiting = 900
      seen.threads = groups + [group(1, [frame("main", image: "app")])]
      seen.threadCounts =
        [.init(seconds: 0.1, threads: 5)]
        + (grows ? [.init(seconds: 1.9, threads: 6), .init(seconds: 2.9, threads: 7)] : [])
      seen.waits = waits
    }
  }

  private var deadlocks: [TrialResult] {
    let job = frame(
      "swift::runJobInEstablishedExecutorContext", image: "libswift_Concurrency.so")
    let waiting = semaphore + user + worker
    return [
      stalled([group(6, waiting)], grows: true),
      stalled([group(255, waiting)]),
      stalled([group(2, semaphore + user + [job] + worker)]),
      stalled([group(6, waiting)]),
      stalled([group(6, semaphore + user)], grows: true),
      stalled([group(6, mutex + user + worker)], grows: true),
      stalled([group(3, [])], completed: 1000),
      stalled([]),
      stalled([], waits: Hangs.ring),
      stalled([], waits: Hangs.dryPool),
      stalled([group(1, user)], waits: Hangs.trap),
    ]
  }

  private var violations: [TrialResult] {
    let driver = StackFrame(
      address: 1, function: "PhaseRun.waitUntilAllCompleted()",
      file: Samples.runnersFile, line: 77)
    func lost(_ completed: Int) -> TrialResult {
      result(.stalled, completed: completed, oracles: [.completesOnce]) { seen in
        seen.callersInside = 1
        seen.threads = [group(1, [frame("__futex_wait", image: "libc.so.6"), driver])]
      }
    }
    return [
      result(.exited(code: 0), finished: true) { $0.oracleFailures = [failure] },
      result(.outOfTime) {
        $0.oracleFailures = [failure, failure]
        $0.misuses = ["ended, never begun"]
      },
      result(.exited(code: 0), finished: true) { $0.misuses = ["ended, never begun"] },
      result(.exited(code: 0), finished: true) { $0.misuses = ["ended, never begun", "two"] },
      result(.exited(code: 0), completed: 999, finished: true),
      result(.exited(code: 0), completed: 1001, finished: true),
      lost(999), lost(7),
    ]
  }

  private var crashes: [TrialResult] {
    func trap(_ functions: String...) -> TrialResult {
      result(.signalled(number: SIGILL), completed: 5) { seen in
        seen.crash = .init(
          reason: "Illegal instruction",
          stack: functions.map { frame($0, image: "libdispatch.so") } + user)
      }
    }
    func said(_ words: String) -> TrialResult {
      result(.signalled(number: SIGILL), completed: 5) {
        $0.errorOutput = "something\n\(words)\n\nmore"
      }
    }
    let signals = [
      SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGSEGV,
      SIGPIPE, SIGALRM, SIGTERM, 60,
    ]
    return signals.map { result(.signalled(number: $0), completed: 5) } + [
      result(.signalled(number: SIGSEGV), finished: true),
      trap("__DISPATCH_WAIT_FOR_QUEUE__", "_dispatch_sync_f_slow"),
      trap("_dispatch_semaphore_dispose"),
      trap("dispatch_group_leave"),
      trap("strlen"),
      said("Synchronization/LinuxImpl.swift:157: Fatal error: Recursive call to lock Mutex"),
      said("A.swift:3: Precondition failed: no apples"),
      said("A.swift:3: Assertion failed: no pears"),
      result(.signalled(number: SIGILL), completed: 5) { $0.waits = Hangs.trap },
      result(.outOfMemory(mebibytes: 1100), completed: 5),
      result(.flooded(bytes: 17 << 20), completed: 5),
      result(.floodedEvents(bytes: 1234), completed: 5),
      result(.exited(code: 0), completed: 3),
      result(.exited(code: 9), finished: true),
    ]
  }

  private var timeouts: [TrialResult] {
    func slow(_ groups: [Observation.ThreadGroup]) -> TrialResult {
      result(.outOfTime, completed: 417) { $0.threads = groups }
    }
    return [
      slow([]),
      slow([group(2, user, state: "running")]),
      slow([group(1, worker, state: "running")]),
      slow([group(1, user, state: "stopped")]),
      slow([group(1, user)]),
      result(.outOfTime),
      result(.outOfTime, completed: 4) { $0.waits = Hangs.callers(queued: 40) },
      result(.outOfTime, completed: 4, limits: Limits(stallSeconds: 2, timeSeconds: 1.25)),
      result(.exited(code: 0), finished: true) { $0.script = givenUp },
    ]
  }

  private var skipped: [TrialResult] { [result(.notRun(reason: "needs 'get-async'"))] }
}
