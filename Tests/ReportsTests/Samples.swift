import Foundation
import Interlock
import StressRunner
import Testing

@testable import Reports
import ProcessInspection
import WaitForGraph

/// Results of every kind, made by hand.
enum Samples {
  static let context = ReportContext(
    version: "0.1.0", host: .init(system: "Debian 12", cores: 2, swift: "6.3.1"), seed: nil,
    command: "interlock")

  static func scenario(_ name: String, _ expected: [String: StressRunner.Expectation] = [:])
    -> Scenario
  {
    Scenario(
      name: name, summary: "", source: "",
      workload: Workload(
        driver: .dispatchQueue,
        phases: [.init(callers: 1000, rounds: 1, operations: .sequence([.get]))], keys: 1,
        valueBytes: 1, preparesAllKeys: true, seed: 1),
      limits: Limits(), oracles: [], expectations: expected)
  }

  static func result(
    _ scenario: Scenario, _ subject: String, _ verdict: Verdict,
    _ change: (inout Observation) -> Void = { _ in }
  ) -> TrialResult {
    var seen = Observation(ending: .exited(code: 0), operations: 1000)
    seen.completed = 1000
    seen.seconds = 0.0834
    change(&seen)
    return TrialResult(
      trial: Trial(scenario: scenario, subject: subject, seed: 1), observation: seen,
      verdict: verdict)
  }

  static let passed = Verdict(kind: .passed, message: "all 1000 calls completed")

  static let reads = scenario(
    "concurrent-reads",
    [
      "unlocked": StressRunner.Expectation(verdict: .race),
      "semaphore-over-async": StressRunner.Expectation(verdict: .deadlock, cause: .starvation),
    ])
  static let writes = scenario("thousand-and-one-writes")

  static let race = result(
    writes, "unlocked", Verdict(kind: .race, message: "2 conflicts on 'cache.entries'")
  ) { seen in
    let stack = [
      StackFrame(address: 16, function: "Storage.touch(_:)", file: "/src/Storage.swift", line: 36),
      StackFrame(address: 32, image: "libdispatch.so"),
    ]
    var conflict = Conflict(
      resource: "cache.entries",
      first: .init(
        mode: .noWrite, synched: false,
        place: Place(file: "Caches/Storage.swift", line: 31, function: "value(forKey:)"),
        thread: "thread 7", queue: "stress", stack: stack),
      second: .init(
        mode: .noReadWrite, synched: true,
        place: Place(file: "Caches/Storage.swift", line: 36, function: "touch(_:)"),
        thread: "thread 8", queue: nil, task: 5, stack: [], stackNote: "cut short"),
      count: 12)
    conflict.instance = "#3"
    conflict.heldOpen = .init(microseconds: 3_141, seed: 42)
    seen.conflicts = [conflict]
    seen.misuses = ["interlock: misuse: section on 'x' ended at A.swift:1, but never begun"]
  }

  static let deadlock = result(
    reads, "semaphore-over-async",
    Verdict(
      kind: .deadlock, cause: .starvation,
      message: "3 threads of the default pool wait for work that is queued behind them")
  ) { seen in
    seen.ending = .stalled
    seen.completed = 3
    seen.callersInside = 3
    seen.callersWaiting = 994
    seen.seconds = 2.5
    seen.detectionSeconds = 2.0721
    seen.threadCounts = (0..<20).map { .init(seconds: Double($0) / 10, threads: 2 + $0 % 4) }
    seen.threads = [
      .init(
        count: 3, name: "oot.default-qos", state: "sleeping",
        stack: (0..<14).map { StackFrame(address: UInt($0), function: "frame\($0)") }),
      .init(count: 1, name: "main", state: "sleeping", stack: []),
    ]
  }

  static let crash = result(
    writes, "semaphore-over-async", Verdict(kind: .crashed, message: "died of SIGILL")
  ) { seen in
    seen.ending = .signalled(number: 4)
    seen.crash = .init(
      reason: "Illegal instruction",
      stack: [StackFrame(address: 64, function: "dispatch_sync", image: "libdispatch.so")])
    seen.errorOutput = "\u{1B}[31mFatal\u{1B}[0m error\nsecond line\n"
  }

  static let skipped = result(reads, "mutex", Verdict(kind: .skipped, message: "needs 'get-async'"))
  { $0.ending = .notRun(reason: "needs 'get-async'") }

  static let violation = result(
    writes, "mutex", Verdict(kind: .violation, message: "count-matches: 999 is not 1000")
  ) { $0.oracleFailures = [.init(oracle: .countMatches, evidence: "999 is not 1000")] }

  /// Everything; with one pair that was tried three times.
  static let all: [TrialResult] = [
    result(reads, "semaphore-lock", passed), deadlock, skipped,
    result(reads, "unlocked", passed), result(writes, "semaphore-lock", passed), crash, violation,
    result(writes, "unlocked", passed), race, race,
  ]

  /// What was planned for them.
  static let trials: [Trial] = all.map { $0.trial }
}

/// Compares a text with the file of this name in `Goldens`, which `UPDATE_GOLDENS=1` writes anew.
func expectGolden(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation)
{
  let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Goldens/\(name)")
  if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
    try? text.write(to: file, atomically: true, encoding: .utf8)
  }
  let golden = try? String(contentsOf: file, encoding: .utf8)
  #expect(text == golden, "differs from \(name)", sourceLocation: sourceLocation)
}
