import StressRunner

/// A program as a subject: its only call runs the program, and completes when it has ended.
final class ProgramSubject: Subject {
  /// The call.
  static let action = "run"

  private let run: @Sendable (_ completion: @escaping @Sendable (Reply) -> Void) -> Void

  convenience init(run: @escaping @Sendable () -> Void) {
    self.init(reply: {
      run()
      return .done
    })
  }

  /// A program that calls its completion itself.
  init(runAndCallBack: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    run = { completion in runAndCallBack { completion(.done) } }
  }

  /// A program that throws what a check of its own found wrong.
  convenience init(runAndCheck: @escaping @Sendable () throws -> Void) {
    self.init(reply: {
      do {
        try runAndCheck()
        return .done
      } catch {
        return .failed("\(error)")
      }
    })
  }

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { kind == .action(Self.action) }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    run(completion)
  }

  private init(reply: @escaping @Sendable () -> Reply) {
    run = { completion in completion(reply()) }
  }
}
