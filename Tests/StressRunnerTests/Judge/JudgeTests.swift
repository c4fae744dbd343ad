import Foundation
import Interlock
import Testing

@testable import StressRunner
import ProcessInspection

/// Hand-made observations and their verdicts.
@Suite("The judge")
struct JudgeTests {
  static let scenario = makeScenario(callers: 1000, time: 30)

  /// An observation with `completed` of 1,000 calls, changed by a closure.
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

  @Test("The judge gives each ending its verdict, with the evidence")
  func endings() {
    let table: [(Observation, Verdict)] = [
      (Self.seen(.exited(code: 0), finished: true), .passed),
      (Self.seen(.outOfTime, finished: true), .passed),
      (Self.seen(.exited(code: 0), completed: 3), .crashed(.exited(code: 0))),
      (Self.seen(.exited(code: 9), finished: true), .crashed(.exited(code: 9))),
      (Self.seen(.exited(code: 0), completed: 999, finished: true), .violation(.miscount)),
      (Self.seen(.exited(code: 0), completed: 1001, finished: true), .violation(.miscount)),
      (Self.seen(.outOfTime, completed: 417), .timedOut(.limit(nil))),
      (Self.seen(.outOfTime, completed: 1000), .timedOut(.limit(nil))),
      (
        Self.seen(.outOfMemory(mebibytes: 1100), completed: 5),
        .crashed(.outOfMemory(mebibytes: 1100))
      ),
      (Self.seen(.flooded(bytes: 17 << 20), completed: 5), .crashed(.flooded(bytes: 17 << 20))),
      (Self.seen(.floodedEvents(bytes: 9), completed: 5), .crashed(.floodedEvents(bytes: 9))),
      (
        Self.seen(.signalled(number: SIGSEGV), completed: 5), .crashed(.signal(SIGSEGV, nil, nil))
      ),
      (Self.seen(.notRun(reason: "no remove-async")), .skipped(reason: "no remove-async")),
      (
        Self.seen(.exited(code: 0), finished: true) { $0.oracleFailures = [Self.failure] },
        .violation(.oracle(Self.failure))
      ),
      (
        Self.seen(.exited(code: 0), finished: true) { $0.misuses = ["ended, never begun", "two"] },
        .violation(.misuse("ended, never begun"))
      ),
    ]
    for (observation, expected) in table {
      #expect(Self.verdict(observation) == expected)
    }
  }

  @Test("The judge calls a conflict a race, whatever followed")
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
      #expect(verdict == .race(Self.conflict))
    }
  }

  @Test("The judge makes a race in memory the verdict, whatever followed, but for a conflict")
  func memoryRace() {
    let side = MemoryRace.Side(
      isWrite: true, address: 8, size: 8, place: StackFrame(address: 1, function: "add()"))
    let race = MemoryRace(first: side, second: side)
    func seen(_ ending: Observation.Ending) -> Observation {
      Self.seen(ending, finished: true) {
        $0.memory = MemoryRecord()
        $0.memory?.races = [race]
        $0.oracleFailures = [Self.failure]
      }
    }
    for ending in [.exited(code: 0), .signalled(number: SIGSEGV), .stalled, .outOfTime]
      as [Observation.Ending]
    {
      #expect(Self.verdict(seen(ending)) == .memoryRace(race))
      #expect(Self.verdict(seen(ending)).kind == .race)
    }
    var both = seen(.exited(code: 0))
    both.conflicts = [Self.conflict]
    #expect(Self.verdict(both) == .race(Self.conflict))
    // A check without a finding and a check that was switched off change no verdict.
    let quiet = Self.seen(.exited(code: 0), finished: true) {
      $0.memory = MemoryRecord()
      $0.memory?.lostBecause = "a timer's handler was set"
    }
    #expect(Self.verdict(quiet) == .passed)
  }

  @Test("The judge puts a crash and a deadlock before an oracle, and an oracle before time")
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

  @Test("The judge recognises a trap inside libdispatch by the function that traps")
  func dispatchTraps() {
    let table: [(String, Verdict.Trap?)] = [
      ("__DISPATCH_WAIT_FOR_QUEUE__", .syncOnOwnQueue),
      ("_dispatch_semaphore_dispose", .semaphoreFreed), ("dispatch_group_leave", .groupOverleft),
      ("strlen", nil),
    ]
    for (function, trap) in table {
      let verdict = Self.verdict(
        Self.seen(.signalled(number: SIGILL), completed: 0) {
          $0.crash = Observation.Crash(
            reason: "Illegal instruction",
            stack: [StackFrame(address: 1, function: function, image: "libdispatch.so")])
        })
      #expect(verdict == .crashed(.signal(SIGILL, trap, nil)))
    }
  }

  @Test("The judge quotes the last line of a trap's message")
  func lastWords() {
    let words = "Synchronization/LinuxImpl.swift:157: Fatal error: Recursive call to lock Mutex"
    let verdict = Self.verdict(
      Self.seen(.signalled(number: SIGILL), completed: 0) {
        $0.errorOutput = "something\n\(words)\n\nmore"
      })
    #expect(verdict == .crashed(.signal(SIGILL, .said(words), nil)))
  }
}
