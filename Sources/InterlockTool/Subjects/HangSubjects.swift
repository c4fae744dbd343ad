import HangPrograms
import InterlockStress
import StressRunner

/// The small programs of `StressScenarios/hangs`: each a subject of its name, with one call, `subject.run`.
let hangSubjects: [SubjectEntry] = hangPrograms.map { program in
  SubjectEntry(
    name: program.name, summary: program.summary, family: "Hangs", actions: [HangSubject.action],
    runsUnlisted: false
  ) {
    HangSubject(program)
  }
}

/// A program that is run as it is: its only call completes when the program has ended.
private final class HangSubject: Subject {
  static let action = "run"

  private let program: HangProgram

  init(_ program: HangProgram) { self.program = program }

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { kind == .action(Self.action) }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    program.run()
    completion(.done)
  }
}
