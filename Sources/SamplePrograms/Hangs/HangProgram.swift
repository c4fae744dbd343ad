/// A small program that hangs, or one that is correct and looks as if it did.
///
/// It is written as a user would: nothing in it is marked, and nothing of Interlock is imported.
/// Its expected verdict is in the scenario of its name, in `StressScenarios/hangs`.
package struct HangProgram: Sendable {
  /// Its name, the scenario's too: lower-case words joined by hyphens.
  package let name: String
  /// One line: what it does.
  package let summary: String
  /// Runs it, on a thread that is in no pool; does not return where it hangs. To be called once a
  /// process: what hangs keeps its threads.
  package let run: @Sendable () -> Void

  init(_ name: String, _ summary: String, _ run: @escaping @Sendable () -> Void) {
    self.name = name
    self.summary = summary
    self.run = run
  }
}

/// All of them: those that hang by what they are made of, and then those that do not.
package let hangPrograms: [HangProgram] =
  lockPrograms
  + abandonedLockPrograms
  + queuePrograms
  + semaphorePrograms
  + groupPrograms
  + conditionPrograms
  + poolPrograms
  + taskPrograms
  + awaitPrograms
  + staticLetPrograms
  + mixedPrograms
  + joinPrograms
  + correctPrograms
  + correctAwaitPrograms
