import StressRunner
import Testing

@testable import Comparison

@Suite("The workloads of a comparison")
struct GridTests {
  @Test("Workloads combine threads and reads, and vary each other value alone, the base first")
  func oneAtATime() {
    let cells = Grid().cells
    #expect(cells.count == 25 + 3 + 1 + 1 + 2)
    #expect(cells.first == baseCell)
    #expect(Set(cells).count == cells.count)
    #expect(cells.contains { $0.sectionNanoseconds == 10_000 })
    #expect(cells.contains { $0.keys == 1 } && cells.contains { $0.distribution == .zipf })
    #expect(
      cells.contains { $0.driver == .tasks } && cells.contains { $0.driver == .dispatchQueue })
    // Workloads with two differences from the base differ in threads and reads only.
    for cell in cells where cell.sectionNanoseconds != 100 { #expect(cell.threads == 4) }
  }

  @Test("Workloads are every combination with the full extent, with one distribution for one key")
  func full() {
    var grid = Grid()
    grid.extent = .full
    #expect(grid.cells.count == 5 * 5 * 4 * 3 * 3)
    #expect(Set(grid.cells.map(\.name)).count == grid.cells.count)
    #expect(grid.cells.first == grid.base)
  }

  @Test("There are no workloads if a property has no value")
  func empty() {
    for change: (inout Grid) -> Void in [
      { $0.threads = [] }, { $0.reads = [] }, { $0.sections = [] }, { $0.keys = [] },
      { $0.distributions = [] }, { $0.drivers = [] },
    ] {
      var grid = Grid()
      change(&grid)
      #expect(grid.cells.isEmpty)
    }
  }

  @Test("Workloads have a base of the middle values")
  func base() {
    var grid = Grid()
    grid.threads = [3]
    grid.reads = [10, 20, 30]
    grid.sections = [0]
    #expect(grid.base?.threads == 3 && grid.base?.reads == 20)
    #expect(grid.base?.sectionNanoseconds == 0)
    #expect(grid.base?.name == "3 threads, 20 % reads, section 0, 1000 keys")
  }

  @Test("Workloads draw their share of reads, the same for the same seed")
  func calls() {
    for reads in [0, 50, 90, 100] {
      var cell = baseCell
      cell.reads = reads
      let rings = CellCalls(cell, seed: 3).rings
      #expect(rings.count == 4)
      let all = rings.flatMap { ring in (0..<ring.count).map { ring[$0] } }
      let part = Double(all.count { !$0.isWrite }) / Double(all.count) * 100
      #expect(abs(part - Double(reads)) < 2, "\(part)")
      #expect(all.allSatisfy { (0..<1000).contains($0.key) })
      let again = CellCalls(cell, seed: 3).rings.flatMap { ring in
        (0..<ring.count).map { ring[$0] }
      }
      #expect(all == again)
    }
  }

  @Test("Workloads plan rounds within their time, in a random order that the seed determines")
  func plan() throws {
    for (cells, contestants, seconds) in [(32, 10, 240.0), (9, 10, 28), (1, 2, 1), (300, 2, 600)] {
      let plan = try MeasurementPlan(
        cells: cells, contestants: contestants, seconds: seconds, seed: 1)
      #expect(plan.seconds <= seconds * 1.001)
      #expect(plan.rounds >= Interval.fewestValues && plan.roundSeconds >= 0.01)
      for round in 0...2 {
        let order = plan.order(ofRound: round)
        #expect(order.count == cells * contestants && Set(order).count == order.count)
        // The strategies of a workload run one after another.
        for (index, step) in order.enumerated() {
          #expect(step.cell == order[index / contestants * contestants].cell)
        }
      }
      #expect(plan.order(ofRound: 1) == plan.order(ofRound: 1))
    }
    let plan = try MeasurementPlan(cells: 8, contestants: 5, seconds: 60, seed: 1)
    #expect(plan.order(ofRound: 1) != plan.order(ofRound: 3))
    #expect(plan.order(ofRound: 3) == plan.order(ofRound: 4).reversed())
    #expect(throws: MeasurementPlan.Failure.self) {
      try MeasurementPlan(cells: 500, contestants: 10, seconds: 10, seed: 1)
    }
  }

  @Test(
    "Workloads let no strategy gain from its turn, even if the first in a round is faster"
  )
  func counterbalanced() throws {
    for seed in 1...100 as ClosedRange<UInt64> {
      let plan = try MeasurementPlan(cells: 1, contestants: 3, seconds: 1.2, rounds: 10, seed: seed)
      var normal = NormalNumbers(seed: seed)
      var entries = ["one", "other", "third"].map { ComparisonRecord.Entry(strategy: $0) }
      for round in 1...plan.rounds {
        for (turn, step) in plan.order(ofRound: round).enumerated() {
          let calls = 1e6 * (1 - 0.2 * Double(turn)) * (1 + 0.01 * normal.next())
          entries[step.contestant].rounds.append(ComparisonTests.round(calls))
        }
      }
      for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        #expect(RoundPair(entries[one], to: entries[other]).verdict == .noDifferenceSeen)
      }
    }
  }
}
