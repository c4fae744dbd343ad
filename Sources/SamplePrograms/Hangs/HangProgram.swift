/// A small program that hangs, or a correct one that looks as if it did.
///
/// It is written as user code: it has no marks and does not import Interlock. Its expected verdict
/// is in the scenario of the same name, in `Sources/InterlockExam/Scenarios/hangs`.
package struct HangProgram: Sendable {
  /// The name of the program and of its scenario: lower-case words joined by hyphens.
  package let name: String
  /// What it does, in one line.
  package let summary: String
  /// Runs the program on a thread outside all pools; a program that hangs does not return. Call it
  /// once per process: a hang keeps its threads.
  package let run: @Sendable () -> Void

  init(_ name: String, _ summary: String, _ run: @escaping @Sendable () -> Void) {
    self.name = name
    self.summary = summary
    self.run = run
  }
}

/// All programs: those that hang, sorted by their primitives, then those that do not.
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
  + channelPrograms
  + joinPrograms
  + correctPrograms
  + correctAwaitPrograms
  + correctChannelPrograms
