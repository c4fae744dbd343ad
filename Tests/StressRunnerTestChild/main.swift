import Foundation
import StressRunner

// A child of the runner's tests. With the name of a subject it is itself a runner, which prints the
// result as JSON, so that a test can observe a runner, and stacks that name functions.

TrialHost.runIfChild(
  subjects: testSubjects + sessionSubjects + [slowExitSubject] + hostileSubjects + exploredSubjects)

if CommandLine.arguments.dropFirst().first == "hostile" {
  runHostile(Array(CommandLine.arguments.dropFirst(2)))
}
guard CommandLine.arguments.count > 1 else {
  print("usage: StressRunnerTestChild SUBJECT [TRIALS] | hostile MOUNT-POINT JOBS NAME=SECONDS ...")
  exit(64)
}
// If there are several trials, each has one caller.
let trials = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 1 : 1
let scenario = Scenario(
  name: "one-phase", summary: "100 callers, one get each.", source: "a test",
  workload: Workload(
    driver: .dispatchQueue,
    phases: [.init(callers: trials > 1 ? 1 : 100, rounds: 1, operations: .sequence([.get]))],
    keys: 1, valueBytes: 0, preparesAllKeys: false, seed: 1),
  limits: Limits(), oracles: [.completesOnce], expectations: [:])
let trial = Trial(scenario: scenario, subject: CommandLine.arguments[1], seed: 1)
let ending = TrialRunner(jobs: 1).run(Array(repeating: trial, count: trials)) { event in
  switch event {
  case .started: FileHandle.standardError.write(Data("started\n".utf8))
  case .finished(_, let result):
    if let json = try? JSONEncoder().encode(result) { FileHandle.standardOutput.write(json) }
  case .warning(let line): FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
if case .failed(let reason) = ending {
  FileHandle.standardError.write(Data((reason + "\n").utf8))
}
exit(ending == .completed ? 0 : ending == .interrupted ? 130 : 70)
