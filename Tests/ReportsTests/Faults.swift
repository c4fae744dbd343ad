import Findings
import Interlock
import Prediction
import StressRunner
import Hangs

@testable import Explorer
@testable import Reports

/// Results that fail a run, and the other findings of reports.
enum Faults {
  /// A repository in which a sample's file is known only by its module and name.
  static let repository = Repository(root: "/src") { _ in ["Sources/Caches/Storage.swift"] }

  static let context = {
    var context = Samples.context
    context.repository = repository
    context.began = 1_795_435_200
    context.scenarioFiles = [
      "concurrent-reads": "/src/StressScenarios/concurrent-reads.json",
      "thousand-and-one-writes": "/src/StressScenarios/writes.json",
    ]
    return context
  }()

  /// A predicted lock order of two functions.
  static let potential = {
    func side(_ line: Int, _ function: String) -> PotentialFinding.Side {
      let place = [
        StackFrame(address: 1, function: function, file: "/src/Bank.swift", line: line)
      ]
      return PotentialFinding.Side(
        party: "thread \(line)", act: "takes the other lock", place: place, stack: place,
        held: [.init(object: "mutex 0x7f00", place: place)])
    }
    var result = Samples.result(Samples.writes, "ledger")
    result.observation.prediction = PredictionRecord(
      state: .on,
      findings: [
        .init(
          kind: .lockOrder, headline: "two locks are taken in both orders",
          sides: [side(21, "transfer(to:)"), side(31, "audit()")], count: 3)
      ])
    return result
  }()

  /// An order in which two threads deadlock.
  static let explored = {
    func step(_ thread: Int, _ operation: String, _ object: Int, _ line: Int) -> Schedule.Step {
      Schedule.Step(
        thread: thread, operation: operation, object: object,
        place: StackFrame(
          address: UInt(line), function: "pay()", file: "/src/Shop.swift", line: line),
        candidates: 2)
    }
    var schedule = Schedule()
    schedule.steps = [step(1, "lock", 1, 5), step(2, "lock", 2, 9)]
    schedule.blocked = [step(1, "lock", 2, 6), step(2, "lock", 1, 10)]
    schedule.switches = 1
    let failure = ExplorationFailure(
      verdict: .deadlock(.cycle), text: "", schedule: schedule,
      explanation: ["thread 1 holds #1 and waits for #2"], token: "i1-0-w0-ab-0", origin: .order(4))
    var trial = Trial(scenario: Samples.reads, subject: "shop", seed: 1)
    trial.explore = ExploreRequest()
    var seen = Observation(ending: .exited(code: 0), operations: 1000)
    seen.finished = true
    seen.exploration = ExplorationRecord(outcome: .failed(failure), seconds: 0.5)
    return Samples.judged(trial, seen)
  }()

  /// A trial whose child found a race in memory: a locked write, and a read without the lock.
  static let memory = {
    func frame(_ function: String, _ line: Int) -> StackFrame {
      StackFrame(
        address: UInt(line), function: function, file: "/src/Users.swift", line: line, image: "app")
    }
    var write = MemoryRace.Side(
      isWrite: true, address: 0x7f00_0010, size: 1, thread: 3050,
      place: frame("closure #1 in Users.rename(_:to:)", 8),
      stack: [frame("closure #1 in Users.rename(_:to:)", 8), frame("main", 3)])
    write.task = 10
    write.queue = "users"
    write.locks = [.init(object: "0x7f0f5c010580", place: frame("Users.rename(_:to:)", 8))]
    let read = MemoryRace.Side(
      isWrite: false, address: 0x7f00_0010, size: 8, thread: 3051,
      place: frame("Users.name(of:)", 9), stack: [frame("Users.name(of:)", 9)])
    var trial = Trial(scenario: Samples.writes, subject: "names", seed: 1)
    trial.checksMemory = true
    var seen = Observation(ending: .exited(code: 0), operations: 1000)
    seen.finished = true
    seen.completed = 1000
    seen.memory = MemoryRecord()
    var race = MemoryRace(first: write, second: read)
    race.variable = "Users.names"
    var undecided = race
    undecided.plainCode = ["Legacy.swift", "queue.c"]
    seen.memory?.races = [race]
    seen.memory?.undecided = [undecided]
    return Samples.judged(trial, seen)
  }()

  /// Results of every kind: passed, expected, unmet, skipped, potential, explored, hanging, racing.
  static let all =
    Samples.all + [
      potential, explored, Hangs.result(Hangs.ring, subject: "shop"), Hangs.certain, memory,
    ]

  /// The text of a format for these results.
  static func text(
    _ name: String, _ results: [TrialResult] = all, _ settings: ReportSettings = ReportSettings()
  ) -> String {
    ReportFormat.all.first { $0.name == name }?.make(settings)
      .text(results, of: results.map(\.trial), seconds: 1, context) ?? "no format"
  }

  /// A race on a resource of this name.
  static func race(
    on resource: String, line: Int = 36, function: String = "touch(_:)",
    subject: String = "unlocked"
  ) -> TrialResult {
    var seen = Samples.race.observation
    seen.conflicts[0].resource = resource
    seen.conflicts[0].second.place.line = line
    seen.conflicts[0].second.place.function = function
    var trial = Samples.race.trial
    trial.subject = subject
    return Samples.judged(trial, seen)
  }

  /// The findings of a trial.
  static func findings(
    _ result: TrialResult, _ settings: FailureSettings = FailureSettings()
  ) -> [Finding] {
    result.findings(settings, context)
  }
}
