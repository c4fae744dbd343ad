import Programs
import StressRunner

/// A program as a subject: its only call runs the program, and completes when it has ended.
final class ProgramSubject: Subject {
  /// The call.
  static let action = StressRunner.Operation.Kind.action("run")

  private let program: Program

  init(program: Program) { self.program = program }

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { kind == Self.action }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    do {
      try program.run { completion(.done) }
    } catch {
      completion(.failed("\(error)"))
    }
  }
}
