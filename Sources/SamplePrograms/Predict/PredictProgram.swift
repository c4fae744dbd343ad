/// A small program in which something can go wrong that does not, or its correct twin.
///
/// It is written as a user would: nothing in it is marked. What is expected to be found is in the
/// scenario of its name, in `StressScenarios/predict`.
package struct PredictProgram: Sendable {
  /// Its name, the scenario's too: lower-case words joined by hyphens.
  package let name: String
  /// One line: what it does.
  package let summary: String
  /// Runs it, on a thread that is in no pool, and returns when it has ended; by then the callback
  /// has been called once.
  package let run: @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void

  /// Describes one.
  package init(_ name: String, _ summary: String, _ run: @escaping @Sendable () -> Void) {
    self.init(
      name, summary,
      callingBack: { callback in
        run()
        callback()
      })
  }

  /// A program that is about whom it calls.
  init(
    _ name: String, _ summary: String,
    callingBack run: @escaping @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void
  ) {
    self.name = name
    self.summary = summary
    self.run = run
  }
}

/// All of them, by what they are about.
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
