import Foundation
import Interlock
import Findings
import MemoryCheck
import Prediction
import StressRunner
import Testing
import TestSupport
import Hangs

@testable import Explorer
@testable import InterlockStress

/// Records the output.
final class TextBuffer: TextSink {
  var width: Int?
  var height: Int? = 24
  var failure: String?
  private(set) var text = ""

  func write(_ text: String) {
    self.text += text
  }
}

extension Verdict {
  /// A verdict of a kind, with arbitrary evidence.
  static func any(_ kind: Kind, cause: Diagnosis.Cause? = nil) -> Verdict {
    let place = Place(file: "A.swift", line: 1, function: "f()")
    let side = Conflict.Side(
      mode: .noReadWrite, synched: false, place: place, thread: "1", queue: nil, stack: [])
    return switch kind {
    case .passed: .passed
    case .race: .race(Conflict(resource: "users", first: side, second: side))
    case .deadlock:
      .deadlock(.graph(Diagnosis(evidence: .any(cause ?? .unknown))))
    case .violation: .violation(.miscount)
    case .crashed:
      .crashed(.signal(4, nil, cause.map { Diagnosis(evidence: .any($0)) }))
    case .timedOut: .timedOut(.limit(nil))
    case .skipped: .skipped(reason: "needs 'get'")
    case .undecided:
      .explored(
        ExplorationFailure(
          verdict: .notDeterministic, text: "step 3 differs", schedule: Schedule(), token: "",
          origin: .order(1)))
    }
  }
}

/// A subject that no trial calls.
final class IdleSubject: Subject {
  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    completion(.done)
  }
}

/// A command's world with a temporary folder, in which a closure judges trials.
final class TestWorld {
  let folder: String
  let output = TextBuffer()
  let errors = TextBuffer()
  var environment: [String: String] = [:]
  var subjects = ["good", "bad", "mutex"]
  /// Further subjects, listed after the others.
  var moreSubjects: [SubjectEntry] = []
  var benches: [BenchEntry] = []
  var tracksSections = true
  var memory = MemoryCheck.Support.partial
  /// The requested trials, and the number that run at a time.
  private(set) var trials: [Trial] = []
  private(set) var jobs: Int?
  /// The verdict of a trial.
  var verdict: (Trial) -> Verdict = { trial in
    let expected = trial.scenario.expectation(for: trial.subject)
    return .any(expected.verdict, cause: expected.cause)
  }
  /// The contention coverage of each trial.
  var coverage: CoverageReport?
  /// The result of the exploration of a trial that explores.
  var exploration: (Trial) -> ExplorationRecord? = { _ in
    ExplorationRecord(outcome: .allOrdersPass(count: 2, leftBehind: 0), seconds: 0)
  }
  /// The result of the planted race.
  var selfTest: () -> String? = { nil }
  /// The predicted findings of a trial, if it predicts.
  var findings: (Trial) -> [PotentialFinding] = { _ in [] }
  /// The number of trials after which an interrupt comes.
  var interruptAfter: Int?
  /// The number of trials after which the machine refuses the next.
  var refuseAfter: Int?
  /// The files that could not be removed at the end of the run.
  var leftBehind: [String] = []
  /// An error thrown instead of running a trial.
  var failure: (any Error)?
  /// Called after each result.
  var afterEach: () -> Void = {}

  init() throws {
    folder = NSTemporaryDirectory() + "interlock-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: folder + "/StressScenarios", withIntermediateDirectories: true)
    try write(
      """
      { "name": "reads", "summary": "reads a lot", "source": "a test",
        "workload": { "driver": "tasks", "seed": 7,
                      "phases": [{ "callers": 2, "operations": ["get"] }] },
        "expect": { "bad": "race" } }
      """, "reads.json")
    try write(
      """
      { "name": "writes", "summary": "writes a lot", "source": "a test",
        "workload": { "driver": "tasks",
                      "phases": [{ "callers": 2, "operations": ["set"] }] } }
      """, "writes.json")
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  func write(_ text: String, _ name: String) throws {
    try text.write(
      toFile: folder + "/StressScenarios/" + name, atomically: true, encoding: .utf8)
  }

  /// Makes a folder among the scenarios.
  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/StressScenarios/" + name, withIntermediateDirectories: true)
  }

  /// The text of a file in the folder.
  func read(_ name: String) throws -> String {
    try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
  }

  /// Performs a command on this folder's scenarios.
  func run(_ arguments: String...) -> ExitCode { run(arguments) }

  /// Performs a command with an array of arguments.
  func run(_ arguments: [String]) -> ExitCode {
    world.perform(arguments + ["--scenarios", folder + "/StressScenarios"])
  }

  var world: World {
    World(
      command: "interlock",
      subjects: subjects.map { name in
        SubjectEntry(name: name, summary: "is \(name)") { IdleSubject() }
      } + moreSubjects,
      scenarioFolder: "StressScenarios", benches: benches, environment: environment,
      currentFolder: folder, output: output, errors: errors, tracksSections: tracksSections,
      memory: memory, selfTest: selfTest,
      defaultJobs: 2, now: { 0 },
      runTrials: { [self] jobs, trials, onEvent in
        if let failure { throw failure }
        self.jobs = jobs
        self.trials = trials
        for (index, trial) in trials.enumerated() {
          onEvent(.started(index: index))
          if index == interruptAfter { return .interrupted }
          if index == refuseAfter { return .failed(reason: "no pipe: Too many open files") }
          var seen = Observation(
            ending: .exited(code: 0), operations: trial.scenario.workload.operationCount)
          seen.completed = seen.operations
          seen.coverage = coverage
          if trial.explore != nil { seen.exploration = exploration(trial) }
          let verdict = verdict(trial)
          seen.finished = verdict.kind == .passed
          if trial.predicts { seen.prediction = .init(state: .on, findings: findings(trial)) }
          onEvent(
            .finished(
              index: index,
              TrialResult(trial: trial, observation: seen, verdict: verdict)))
          afterEach()
        }
        for line in leftBehind { onEvent(.warning(line)) }
        return .completed
      })
  }
}

/// The number of results in a JSON report; fails if the text is no JSON.
func results(in text: String) throws -> Int {
  guard case .object(let members) = try JSONReader.read(Array(text.utf8)).content,
    case .array(let results)? = members.first(where: { $0.key == "results" })?.value.content
  else {
    Issue.record("no report")
    return -1
  }
  return results.count
}
