import Foundation
import Interlock
import Testing

@testable import StressRunner
import ProcessInspection

/// Observations made by hand, and what they mean.
@Suite("The judge")
struct JudgeTests {
  static let scenario = makeScenario(callers: 1000, time: 30)

  /// An observation with so many of 1,000 calls completed, changed as a test needs it.
  static func seen(
    _ ending: Observation.Ending, completed: Int = 1000, finished: Bool = false,
    _ change: (inout Observation) -> Void = { _ in }
  ) -> Observation {
    var observation = Observation(ending: ending, operations: 1000)
    observation.completed = completed
    observation.finished = finished
    observation.seconds = 3
    observation.processors = 2
    change(&observation)
    return observation
  }

  static func verdict(_ observation: Observation) -> Verdict {
    Judge.verdict(of: observation, in: scenario)
  }

  static let conflict = Conflict(
    resource: "users",
    first: .init(
      mode: .noWrite, synched: false,
      place: Place(file: "App/A.swift", line: 3, function: "a()"), thread: "1", queue: nil,
      stack: []),
    second: .init(
      mode: .noReadWrite, synched: true,
      place: Place(file: "App/B.swift", line: 7, function: "b()"), thread: "2", queue: nil,
      stack: []))
  static let failure = Observation.OracleFailure(
    oracle: .countMatches, evidence: "count 3, entries 4")

  @Test("gives a kind for every ending, and says it in words")
  func endings() {
    let table: [(Observation, Verdict)] = [
      (
        Self.seen(.exited(code: 0), finished: true),
        Verdict(kind: .passed, message: "1000 of 1000 calls completed")
      ),
      (
        Self.seen(.exited(code: 0), completed: 3),
        Verdict(
          kind: .crashed,
          message: "exited with code 0 before the workload ended; 3 of 1000 calls completed")
      ),
      (
        Self.seen(.exited(code: 9), finished: true),
        Verdict(kind: .crashed, message: "exited with code 9 after the workload had ended")
      ),
      (
        Self.seen(.exited(code: 0), completed: 999, finished: true),
        Verdict(
          kind: .violation,
          message:
            "the workload ended with 999 of 1000 calls completed instead of each exactly once")
      ),
      (
        Self.seen(.exited(code: 0), completed: 1001, finished: true),
        Verdict(
          kind: .violation,
          message:
            "the workload ended with 1001 of 1000 calls completed instead of each exactly once"
        )
      ),
      (
        Self.seen(.outOfTime, completed: 417),
        Verdict(
          kind: .timedOut, message: "417 of 1000 calls completed when its 30 s were up")
      ),
      (
        Self.seen(.outOfTime, completed: 1000),
        Verdict(
          kind: .timedOut,
          message: "1000 of 1000 calls completed when its 30 s were up; the workload had not ended")
      ),
      (
        Self.seen(.outOfMemory(mebibytes: 1100), completed: 5),
        Verdict(
          kind: .crashed,
          message: "stopped: 1100 MiB of resident memory, more than the 1024 MiB allowed; "
            + "5 of 1000 calls completed")
      ),
      (
        Self.seen(.flooded(bytes: 17 << 20), completed: 5),
        Verdict(
          kind: .crashed,
          message: "stopped: it wrote 17 MiB of output, more than the 16 MiB allowed; "
            + "5 of 1000 calls completed")
      ),
      (
        Self.seen(.signalled(number: SIGSEGV), completed: 5),
        Verdict(
          kind: .crashed,
          message: "died of SIGSEGV (bad memory access); 5 of 1000 calls completed")
      ),
      (
        Self.seen(.notRun(reason: "no remove-async")),
        Verdict(kind: .skipped, message: "no remove-async")
      ),
      (
        Self.seen(.exited(code: 0), finished: true) { $0.oracleFailures = [Self.failure] },
        Verdict(kind: .violation, message: "count-matches: count 3, entries 4")
      ),
      (
        Self.seen(.exited(code: 0), finished: true) { $0.misuses = ["ended, never begun", "two"] },
        Verdict(kind: .violation, message: "section misused: ended, never begun (and 1 more)")
      ),
    ]
    for (observation, expected) in table {
      #expect(Self.verdict(observation) == expected)
    }
  }

  @Test("calls a conflict a race, with the resource and both places, whatever came of it")
  func race() {
    let endings: [Observation.Ending] = [
      .exited(code: 66), .signalled(number: SIGSEGV), .stalled, .outOfTime,
      .outOfMemory(mebibytes: 9999), .flooded(bytes: 1 << 30),
    ]
    for ending in endings {
      let verdict = Self.verdict(
        Self.seen(ending, completed: 1) {
          $0.conflicts = [Self.conflict]
          $0.oracleFailures = [Self.failure]
        })
      #expect(verdict.kind == .race)
      #expect(
        verdict.message.hasPrefix(
          "'users': a writer that claims a lock at App/B.swift:7  b() came in beside a reader at "
            + "App/A.swift:3  a()"))
    }
  }

  @Test("puts a crash and a deadlock before an oracle, and an oracle before time")
  func precedence() {
    let table: [(Observation.Ending, Verdict.Kind)] = [
      (.signalled(number: SIGILL), .crashed), (.stalled, .deadlock), (.outOfTime, .violation),
      (.exited(code: 0), .violation), (.notRun(reason: ""), .skipped),
    ]
    for (ending, kind) in table {
      let verdict = Self.verdict(Self.seen(ending) { $0.oracleFailures = [Self.failure] })
      #expect(verdict.kind == kind, "\(ending)")
    }
  }

  @Test("says in words what a trap inside libdispatch is, and names the caller's line")
  func dispatchSync() {
    let verdict = Self.verdict(
      Self.seen(.signalled(number: SIGILL), completed: 0) {
        $0.crash = Observation.Crash(
          reason: "Illegal instruction",
          stack: [
            StackFrame(
              address: 1, function: "__DISPATCH_WAIT_FOR_QUEUE__", image: "libdispatch.so"),
            StackFrame(
              address: 2, function: "DispatchQueue.sync(execute:)", image: "libswiftDispatch.so"),
            StackFrame(
              address: 3, function: "Cache.get(_:)", file: "/a/Cache.swift", line: 12, image: "app"),
          ])
      })
    #expect(
      verdict.message
        == "dispatch_sync on a queue that this thread already holds; died of SIGILL (a trap); "
        + "in Cache.get(_:)  Cache.swift:12; 0 of 1000 calls completed")
  }

  @Test("quotes the last words of a trap")
  func lastWords() {
    let words = "Synchronization/LinuxImpl.swift:157: Fatal error: Recursive call to lock Mutex"
    let verdict = Self.verdict(
      Self.seen(.signalled(number: SIGILL), completed: 0) {
        $0.errorOutput = "something\n\(words)\n\nmore"
      })
    #expect(verdict.message.hasPrefix(words + "; died of SIGILL"))
  }

  @Test("says where a child that ran out of time is running, or that it is stopped")
  func outOfTimeDetail() {
    func message(_ state: String) -> String {
      Self.verdict(
        Self.seen(.outOfTime, completed: 0) {
          $0.threads = [
            .init(
              count: 2, name: "a", state: state,
              stack: [StackFrame(address: 1, function: "spin()", file: "/a/S.swift", line: 4)])
          ]
        }
      ).message
    }
    #expect(message("running").hasSuffix("; 2 threads running in spin()  S.swift:4"))
    #expect(message("stopped").hasSuffix("; it is stopped by a signal"))
    #expect(message("sleeping").hasSuffix("were up"))
  }
}
