/// A small program in which two threads or tasks use the same memory, with a race or without.
///
/// The race is one of happens-before: nothing orders the two accesses in any run, although the
/// clock keeps them apart so that no run crashes. It is written as user code, without marks.
package struct MemoryProgram: Sendable {
  /// The name of the program: lower-case words joined by hyphens.
  package let name: String
  /// What it does, in one line.
  package let summary: String
  /// Whether two of its accesses are not ordered.
  package let isRacy: Bool
  /// Runs the program, and returns when all its threads and tasks have ended.
  package let run: @Sendable () -> Void
}

/// A program with a race, and its correct twin.
struct MemoryPair: Sendable {
  let programs: [MemoryProgram]

  /// The twin's name is `name` with `-ordered` appended; `order` says what orders it.
  init(
    _ name: String, _ summary: String, order: String, racy: @escaping @Sendable () -> Void,
    ordered: @escaping @Sendable () -> Void
  ) {
    programs = [
      MemoryProgram(name: name, summary: summary, isRacy: true, run: racy),
      MemoryProgram(name: name + "-ordered", summary: order, isRacy: false, run: ordered),
    ]
  }

  /// A correct program without a racy twin.
  init(correct name: String, _ summary: String, _ run: @escaping @Sendable () -> Void) {
    programs = [MemoryProgram(name: name, summary: summary, isRacy: false, run: run)]
  }
}

/// All programs: each one with a race is followed by its correct twin.
package let memoryPrograms: [MemoryProgram] =
  (valuePairs + collectionPairs + classPairs + variablePairs + pointerPairs + lockPairs
  + readWritePairs + signalPairs + queuePairs + dispatchPairs + dispatchSourcePairs
  + atomicPairs + guardPairs
  + threadPairs + taskPairs + taskGroupPairs + actorPairs + resumePairs + storagePairs
  + libraryPairs).flatMap(\.programs)
