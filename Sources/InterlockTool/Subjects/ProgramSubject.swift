import StressRunner

/// A program as a subject: its only call runs the program, and completes when it has ended.
final class ProgramSubject: Subject {
  /// The call.
  static let action = "run"

  private let run: @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void

  init(run: @escaping @Sendable () -> Void) {
    self.run = { callback in
      run()
      callback()
    }
  }

  /// A program that calls its completion itself.
  init(runAndCallBack: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    run = runAndCallBack
  }

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { kind == .action(Self.action) }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    run { completion(.done) }
  }
}
