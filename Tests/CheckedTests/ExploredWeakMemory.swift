import Foundation
import InterlockTesting
import Synchronization
import Testing

/// Bodies whose atomics follow the weak memory model.
@Suite(.serialized) struct ExploredWeakMemory {
  /// The outcomes of a program's executions. Unchecked: only the body's first thread adds to it,
  /// after the other threads have ended.
  final class Outcomes: @unchecked Sendable {
    var found: Set<[Int]> = []
    var executions = 0
  }

  static func outcomes(
    of program: WeakProgram, _ strategy: ExploreOption.Strategy = .everyOrder,
    most: Int = 1_000_000
  ) throws -> Outcomes {
    let outcomes = Outcomes()
    try explore(.memoryModel(.weak), .strategy(strategy), .executions(most), .budget(.seconds(60)))
    {
      outcomes.executions += 1
      outcomes.found.insert(program.run())
    }
    return outcomes
  }

  @Test func agreesWithTheAxioms() throws {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["FIRST_PROGRAM"].flatMap { UInt64($0) } ?? 1
    let count = environment["PROGRAMS"].flatMap { UInt64($0) } ?? 30
    var graphs = 0, executions = 0
    for seed in first..<first + count {
      let program = WeakProgram.random(seed: seed)
      let axioms = WeakAxioms(program)
      let explored = try Self.outcomes(of: program)
      let missing = axioms.outcomes.subtracting(explored.found)
      let forbidden = explored.found.subtracting(axioms.outcomes)
      #expect(missing.isEmpty, "program \(seed) without \(missing): \(program)")
      #expect(forbidden.isEmpty, "program \(seed) has \(forbidden): \(program)")
      graphs += axioms.graphs
      executions += explored.executions
    }
    print("weak memory: \(graphs) graphs, \(executions) executions")
  }
}
