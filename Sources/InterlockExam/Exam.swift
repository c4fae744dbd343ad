import InterlockStress
import MemoryPrograms
import OrderPrograms
import PredictPrograms
import Programs
import SamplePrograms
import StressRunner

/// The programs of an examination, by family.
struct Exam {
  /// The family's name, for `--family`.
  let family: String
  /// The programs that have a row of their own, in the order of the tables.
  let programs: [Program]
  /// Whether their module is compiled for the check of memory in every build.
  var isInstrumented = false

  /// All families.
  static let families = [
    Exam(family: "Hangs", programs: hangPrograms),
    Exam(family: "Predict", programs: predictPrograms + racePrograms),
    Exam(family: "Explore", programs: orderPrograms),
    Exam(family: "Atomics", programs: exploredPrograms, isInstrumented: true),
    Exam(family: "Detectors", programs: detectorPrograms),
    Exam(family: "Memory", programs: memoryPrograms, isInstrumented: true),
  ]

  /// All scenarios: one for each program and its twin, and those that do more than run a program.
  static let scenarios =
    families.flatMap(\.programs).map(scenario) + [findingsOnOneProcessor, nearMiss]

  /// Each program, and each twin, as a subject of its name.
  var subjects: [SubjectEntry] {
    programs.flatMap(\.both).map { program in
      var entry = SubjectEntry(
        name: program.name, summary: program.summary, family: family, actions: ["run"],
        runsUnlisted: false
      ) {
        ProgramSubject(program: program)
      }
      entry.isInstrumented = isInstrumented
      return entry
    }
  }

  /// The scenario with the name of a program: one call runs the program, or its twin.
  static func scenario(_ program: Program) -> Scenario {
    scenario(
      program.name, program.summary.prefix(1).uppercased() + program.summary.dropFirst(),
      source: program.source?.text, [program],
      poolWidth: program.poolWidth,
      Limits(stallSeconds: program.stallSeconds, timeSeconds: program.timeSeconds))
  }

  private static func scenario(
    _ name: String, _ summary: String, source: String?, _ programs: [Program], poolWidth: Int?,
    _ limits: Limits = Limits(timeSeconds: 60)
  ) -> Scenario {
    let programs = programs.flatMap(\.both)
    let workload = Workload(
      driver: .threads,
      phases: [.init(callers: 1, rounds: 1, operations: .sequence([ProgramSubject.action]))],
      keys: 1, valueBytes: 64, preparesAllKeys: false, seed: 1)
    var scenario = Scenario(
      name: name, summary: summary, source: source, workload: workload, limits: limits,
      oracles: [.completesOnce], expectations: [:], subjects: programs.map(\.name))
    scenario.poolWidth = poolWidth
    for program in programs {
      let expectation = Expectation(of: program)
      switch program.expected {
      case .failsInSomeOrder, .passesInEveryOrder:
        scenario.isExploredOnly = true
        scenario.exploreExpectations[program.name] = expectation
      default:
        scenario.expectations[program.name] = expectation
      }
    }
    return scenario
  }

  /// Programs with tasks, on a task pool of one thread.
  private static let findingsOnOneProcessor = scenario(
    "findings-on-one-processor",
    "A pool of one thread hides neither races of tasks nor what blocks it",
    source: "Swift's task pool is a Dispatch queue as wide as the machine has processors",
    [
      "tasks-write-in-no-order", "children-write-in-no-order", "async-let-awaited-too-late",
      "actor-bypassed", "value-awaited-too-late", "tasks-both-ways", "semaphore-wait-in-task",
      "group-wait-in-task", "tasks-under-a-lock", "results-of-a-group", "under-one-actor",
    ].compactMap { name in (predictPrograms + racePrograms).first { $0.name == name } },
    poolWidth: 1)

  private static let nearMiss = Scenario(
    name: "near-miss",
    summary: "Two threads each make 50 short writes with pauses of about 500 µs:"
      + " the writes hardly ever overlap without delays",
    source: Source.nearMiss.text,
    workload: Workload(
      driver: .threads,
      phases: [
        .init(callers: 2, rounds: 50, operations: .weighted([.init(kind: .set, weight: 100)]))
      ], keys: 1, valueBytes: 8, preparesAllKeys: false, seed: 1),
    limits: Limits(), oracles: [.completesOnce],
    expectations: [
      "paused-racy": Expectation(verdict: .race), "paused-masked": Expectation(verdict: .race),
      "paused-check-then-act": Expectation(verdict: .race),
    ], subjects: nearMissSubjects.map(\.name))
}
