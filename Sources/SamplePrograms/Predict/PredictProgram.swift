/// A small program with a fault that does not occur in this run, or its correct twin.
///
/// It is written as user code, without marks. The expected findings are in the scenario of the same
/// name, in `Sources/InterlockExam/Scenarios/predict`.
package struct PredictProgram: Sendable {
  /// The name of the program and of its scenario: lower-case words joined by hyphens.
  package let name: String
  /// What it does, in one line.
  package let summary: String
  /// Runs the program on a thread outside all pools, and returns when it has ended and has called
  /// the callback once.
  package let run: @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void

  /// Describes a program; the callback is called after its end.
  package init(_ name: String, _ summary: String, _ run: @escaping @Sendable () -> Void) {
    self.init(
      name, summary,
      callingBack: { callback in
        run()
        callback()
      })
  }

  /// Describes a program whose subject is the call of the callback.
  init(
    _ name: String, _ summary: String,
    callingBack run: @escaping @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void
  ) {
    self.name = name
    self.summary = summary
    self.run = run
  }
}

/// All programs, sorted by their primitives.
package let predictPrograms: [PredictProgram] =
  lockPrograms
  + leftLockPrograms
  + queuePrograms
  + mixedPrograms
  + mainQueuePrograms
  + readAgainPrograms
  + signalPrograms
  + limitPrograms
  + safeOrderPrograms
  + callbackPrograms
  + taskPrograms
