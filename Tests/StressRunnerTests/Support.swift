import Foundation
import Interlock
import TestSupport

@testable import StressRunner
import ProcessInspection
import Hangs

/// A scenario of one phase of gets.
func makeScenario(
  callers: Int = 100, driver: Workload.Driver = .dispatchQueue, stall: Double = 2,
  time: Double = 120, memory: Int = 1024
) -> Scenario {
  Scenario(
    name: "one-phase", summary: "One get each.", source: "a test",
    workload: Workload(
      driver: driver,
      phases: [.init(callers: callers, rounds: 1, operations: .sequence([.get]))],
      keys: 1, valueBytes: 0, preparesAllKeys: false, seed: 1),
    limits: Limits(stallSeconds: stall, timeSeconds: time, memoryMebibytes: memory),
    oracles: [], expectations: [:])
}

/// A deadlock with this cause by the wait-for graph.
func deadlock(_ cause: Diagnosis.Cause) -> Verdict { .deadlock(.graph(diagnosis(cause))) }

/// A certain diagnosis with this cause.
func diagnosis(_ cause: Diagnosis.Cause) -> Diagnosis {
  Diagnosis(evidence: .any(cause))
}

/// A trial of a subject of the test child.
func makeTrial(_ subject: String, _ scenario: Scenario = makeScenario()) -> Trial {
  Trial(scenario: scenario, subject: subject, seed: 1)
}

/// The test child, next to the test bundle.
var childExecutable: String {
  let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    + "/StressRunnerTestChild"
}

/// The command lines of all processes, by number.
func commandLines() -> [Int: String] {
  var lines: [Int: String] = [:]
  for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
    guard let number = Int(name),
      let bytes = FileManager.default.contents(atPath: "/proc/\(name)/cmdline"), !bytes.isEmpty
    else { continue }
    lines[number] = String(decoding: bytes.map { $0 == 0 ? 32 : $0 }, as: UTF8.self)
  }
  return lines
}

/// Runs trials with the test child. Returns the results by subject, and the duration.
func run(
  _ trials: [Trial], jobs: Int, environment: [String: String] = [:]
) -> (results: [String: TrialResult], seconds: Double) {
  var runner = TrialRunner(jobs: jobs)
  runner.executable = childExecutable
  runner.environment = environment
  var results: [String: TrialResult] = [:]
  let start = Platform.now
  _ = runner.run(trials) { event in
    if case .finished(_, let result) = event { results[result.trial.subject] = result }
  }
  return (results, Platform.now - start)
}
