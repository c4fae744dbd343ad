import Foundation
import InterlockTesting
import Testing

/// The litmus tests of the literature, with each choice of memory orders.
struct Litmus: Sendable {
  typealias Order = WeakProgram.Order

  var name: String
  /// The threads, given the memory order of each operation.
  var threads: @Sendable ([Order]) -> [[WeakProgram.Operation]]
  /// True for each operation that stores.
  var stores: [Bool]
  /// True for the outcome that gives the test its name.
  var isWeak: @Sendable ([Int]) -> Bool
  /// Whether that outcome is allowed with relaxed, with acquiring and releasing, and with
  /// sequentially consistent operations: the tables of herd and GenMC for RC11.
  var isAllowed: [Bool]

  /// The program whose operations have these orders, from 0 to 2.
  func program(_ levels: [Int]) -> WeakProgram {
    let orders = zip(levels, stores).map { level, stores -> Order in
      [.relaxed, stores ? .releasing : .acquiring, .sequential][level]
    }
    return WeakProgram(threads: threads(orders))
  }

  static let all = [
    Litmus(
      name: "SB",
      threads: {
        [[.store(0, 1, $0[0]), .load(1, $0[1])], [.store(1, 1, $0[2]), .load(0, $0[3])]]
      },
      stores: [true, false, true, false], isWeak: { $0[0] == 0 && $0[1] == 0 },
      isAllowed: [true, true, false]),
    Litmus(
      name: "MP",
      threads: {
        [[.store(0, 1, $0[0]), .store(1, 1, $0[1])], [.load(1, $0[2]), .load(0, $0[3])]]
      },
      stores: [true, true, false, false], isWeak: { $0[0] == 1 && $0[1] == 0 },
      isAllowed: [true, false, false]),
    Litmus(
      name: "LB",
      threads: {
        [[.load(0, $0[0]), .store(1, 1, $0[1])], [.load(1, $0[2]), .store(0, 1, $0[3])]]
      },
      stores: [false, true, false, true], isWeak: { $0[0] == 1 && $0[1] == 1 },
      isAllowed: [false, false, false]),
    Litmus(
      name: "2+2W",
      threads: {
        [[.store(0, 1, $0[0]), .store(1, 2, $0[1])], [.store(1, 1, $0[2]), .store(0, 2, $0[3])]]
      },
      stores: [true, true, true, true], isWeak: { $0[0] == 1 && $0[1] == 1 },
      isAllowed: [true, true, false]),
    Litmus(
      name: "R",
      threads: {
        [[.store(0, 1, $0[0]), .store(1, 1, $0[1])], [.store(1, 2, $0[2]), .load(0, $0[3])]]
      },
      stores: [true, true, true, false], isWeak: { $0[0] == 0 && $0[2] == 2 },
      isAllowed: [true, true, false]),
    Litmus(
      name: "S",
      threads: {
        [[.store(0, 2, $0[0]), .store(1, 1, $0[1])], [.load(1, $0[2]), .store(0, 1, $0[3])]]
      },
      stores: [true, true, false, true], isWeak: { $0[0] == 1 && $0[1] == 2 },
      isAllowed: [true, false, false]),
    Litmus(
      name: "CoRR", threads: { [[.store(0, 1, $0[0])], [.load(0, $0[1]), .load(0, $0[2])]] },
      stores: [true, false, false], isWeak: { $0[0] == 1 && $0[1] == 0 },
      isAllowed: [false, false, false]),
    Litmus(
      name: "CoWR", threads: { [[.store(0, 1, $0[0]), .load(0, $0[1])], [.store(0, 2, $0[2])]] },
      stores: [true, false, true], isWeak: { $0[0] == 2 && $0[1] == 1 },
      isAllowed: [false, false, false]),
    Litmus(
      name: "WRC",
      threads: {
        [
          [.store(0, 1, $0[0])], [.load(0, $0[1]), .store(1, 1, $0[2])],
          [.load(1, $0[3]), .load(0, $0[4])],
        ]
      },
      stores: [true, false, true, false, false],
      isWeak: { $0[0] == 1 && $0[1] == 1 && $0[2] == 0 }, isAllowed: [true, false, false]),
    Litmus(
      name: "ISA2",
      threads: {
        [
          [.store(0, 1, $0[0]), .store(1, 1, $0[1])], [.load(1, $0[2]), .store(2, 1, $0[3])],
          [.load(2, $0[4]), .load(0, $0[5])],
        ]
      },
      stores: [true, true, false, true, false, false],
      isWeak: { $0[0] == 1 && $0[1] == 1 && $0[2] == 0 }, isAllowed: [true, false, false]),
    Litmus(
      name: "IRIW",
      threads: {
        [
          [.store(0, 1, $0[0])], [.store(1, 1, $0[1])], [.load(0, $0[2]), .load(1, $0[3])],
          [.load(1, $0[4]), .load(0, $0[5])],
        ]
      },
      stores: [true, true, false, false, false, false],
      isWeak: { $0[0] == 1 && $0[1] == 0 && $0[2] == 1 && $0[3] == 0 },
      isAllowed: [true, true, false]),
  ]
}

@Suite(.serialized) struct ExploredLitmus {
  @Test(arguments: Litmus.all.map(\.name)) func hasTheOutcomesOfTheTables(name: String) throws {
    let litmus = Litmus.all.first { $0.name == name }!
    for level in 0...2 {
      let program = litmus.program(litmus.stores.map { _ in level })
      let found = try ExploredWeakMemory.outcomes(of: program).found
      #expect(found.contains(where: litmus.isWeak) == litmus.isAllowed[level], "\(name) \(level)")
      #expect(found == WeakAxioms(program).outcomes, "\(name) \(level)")
    }
  }

  /// Tests every order of every operation; takes some minutes.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["EVERY_ORDER"] != nil))
  func hasTheOutcomesOfTheAxioms() throws {
    for litmus in Litmus.all {
      var choices = [[Int]()]
      for _ in litmus.stores {
        choices = choices.flatMap { choice in (0...2).map { choice + [$0] } }
      }
      var orders = 0, graphs = 0
      for levels in choices {
        let program = litmus.program(levels)
        let axioms = WeakAxioms(program)
        let explored = try ExploredWeakMemory.outcomes(of: program)
        #expect(explored.found == axioms.outcomes, "\(litmus.name) \(levels)")
        orders += explored.executions
        graphs += axioms.graphs
      }
      print("\(litmus.name): \(choices.count) choices, \(graphs) graphs, \(orders) executions")
    }
  }
}
