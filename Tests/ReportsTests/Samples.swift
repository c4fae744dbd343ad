import Foundation
import Interlock
import StressRunner
import Testing

@testable import Reports
import ProcessInspection
import Hangs

/// Hand-made results of every kind.
enum Samples {
  /// A source file of the runner.
  static let runnersFile = {
    OwnCode.register(OwnCode.reports)
    let folder = OwnCode.reports.first { $0.part == .runner }?.folder ?? ""
    return folder + "/Workload/PhaseRun.swift"
  }()

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

  /// A trial of a scenario on a subject, judged by its observation. By default, the trial passed.
  static func result(
    _ scenario: Scenario, _ subject: String, _ change: (inout Observation) -> Void = { _ in }
  ) -> TrialResult {
    var seen = Observation(ending: .exited(code: 0), operations: 1000)
    seen.completed = 1000
    seen.finished = true
    seen.seconds = 0.0834
    change(&seen)
    return judged(Trial(scenario: scenario, subject: subject, seed: 1), seen)
  }

  /// The judge's result for an observation.
  static func judged(_ trial: Trial, _ seen: Observation) -> TrialResult {
    TrialResult(
      trial: trial, observation: seen,
      verdict: Judge.verdict(of: seen, in: trial.scenario, on: trial.subject))
  }

  static let reads = scenario(
    "concurrent-reads",
    [
      "unlocked": StressRunner.Expectation(verdict: .race),
      "semaphore-over-async": StressRunner.Expectation(verdict: .deadlock, cause: .starvation),
    ])
  static let writes = scenario("thousand-and-one-writes")

  static let race = result(writes, "unlocked") { seen in
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
    seen.ending = .exited(code: 66)
    seen.finished = false
    seen.completed = 12
    seen.conflicts = [conflict]
    seen.misuses = ["interlock: misuse: section on 'x' ended at A.swift:1, but never begun"]
  }

  static let deadlock = result(reads, "semaphore-over-async") { seen in
    seen.ending = .stalled
    seen.finished = false
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

  static let crash = result(writes, "semaphore-over-async") { seen in
    seen.ending = .signalled(number: 4)
    seen.finished = false
    seen.completed = 417
    seen.crash = .init(
      reason: "Illegal instruction",
      stack: [StackFrame(address: 64, function: "dispatch_sync", image: "libdispatch.so")])
    seen.errorOutput = "\u{1B}[31mFatal\u{1B}[0m error\nsecond line\n"
  }

  static let skipped = result(reads, "mutex") {
    $0.ending = .notRun(reason: "needs 'get-async'")
  }

  static let violation = result(writes, "mutex") {
    $0.oracleFailures = [.init(oracle: .countMatches, evidence: "999 is not 1000")]
  }

  /// All results; one pair was tried three times.
  static let all: [TrialResult] = [
    result(reads, "semaphore-lock"), deadlock, skipped, result(reads, "unlocked"),
    result(writes, "semaphore-lock"), crash, violation, result(writes, "unlocked"), race, race,
  ]

  /// The plan of these trials.
  static let trials: [Trial] = all.map { $0.trial }
}
