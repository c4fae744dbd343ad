import StressRunner

@testable import Explorer

/// A hand-made order of three threads that failed.
enum ScheduleSample {
  static let result: TrialResult = {
    var schedule = Schedule()
    schedule.steps = [
      (0, "start"), (1, "lock"), (1, "unlock"), (2, "lock"), (1, "lock"), (2, "unlock"),
    ].map {
      Schedule.Step(thread: $0.0, operation: $0.1, object: 1, place: nil, candidates: 2)
    }
    schedule.switches = 2
    let failure = ExplorationFailure(
      verdict: .failed, text: "the body failed", schedule: schedule, token: "i1-0-w0-ab-0",
      origin: .order(4))
    var trial = Trial(scenario: Samples.reads, subject: "mutex", seed: 1)
    trial.explore = ExploreRequest(token: nil)
    var seen = Observation(ending: .exited(code: 0), operations: 1000)
    seen.finished = true
    seen.oracleFailures = [.init(oracle: .countMatches, evidence: "999 is not 1000")]
    seen.exploration = ExplorationRecord(outcome: .failed(failure), seconds: 0.5)
    return Samples.judged(trial, seen)
  }()
}
