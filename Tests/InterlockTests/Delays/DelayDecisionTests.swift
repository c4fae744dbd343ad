import Testing

@testable import Interlock
@testable import SectionTable

/// The choice of the executions of a place that are delayed, and the time that all delays may take.
struct DelayDecisionTests {
  @Test("a delay depends on seed, place and execution only")
  func seeded() {
    func decisions(seed: UInt64, place: UInt64 = 7) -> [DelayDecision?] {
      (0..<1_000).map {
        DelayDecision(seed: seed, place: place, execution: $0, fruitless: 1)
      }
    }
    #expect(decisions(seed: 1) == decisions(seed: 1))
    #expect(decisions(seed: 1) != decisions(seed: 2))
    #expect(decisions(seed: 1) != decisions(seed: 1, place: 8))
  }

  @Test("the chance of a delay is nine of ten, and halves with every delay that found nothing")
  func decays() {
    for fruitless in 0..<6 {
      let delayed = (0..<100_000).count { (execution: UInt64) in
        DelayDecision(seed: 3, place: 5, execution: execution, fruitless: UInt64(fruitless)) != nil
      }
      let expected = 90_000 >> fruitless
      #expect(abs(delayed - expected) < expected / 10, "after \(fruitless)")
    }
  }

  @Test("a place without an overlap in a million executions is delayed some twenty times")
  func rare() {
    var fruitless: UInt64 = 0
    for execution in 0..<1_000_000 as Range<UInt64>
    where DelayDecision(seed: 11, place: 13, execution: execution, fruitless: fruitless) != nil {
      fruitless += 1
    }
    #expect((10...30).contains(fruitless))
  }

  @Test("a delay lasts 2 to 6 ms")
  func lengths() {
    let lengths = (0..<10_000).compactMap {
      DelayDecision(seed: 17, place: 19, execution: $0, fruitless: 0)?.length
    }
    #expect(lengths.allSatisfy(DelayDecision.lengths.contains))
    #expect(DelayDecision.lengths == 2_000...6_000)
    #expect(Set(lengths).count > 1_000)
  }

  @Test("all delays together take 80 ms, then a share of the run time, and at most 2 s")
  func allowance() {
    let second: UInt = 1_000_000
    #expect(DelayBudget.allowance(after: 0, percent: 5) == 80_000)
    #expect(DelayBudget.allowance(after: second, percent: 5) == 80_000)
    #expect(DelayBudget.allowance(after: 10 * second, percent: 5) == 500_000)
    #expect(DelayBudget.allowance(after: 10 * second, percent: 1) == 100_000)
    #expect(DelayBudget.allowance(after: 1_000 * second, percent: 5) == 2 * second)
    #expect(DelayBudget.allowance(after: 1_000 * second, percent: 100) == 2 * second)
  }

  @Test("a delay that exceeds the budget is not made")
  func spent() {
    let budget = DelayBudget(percent: 5)
    let now = Platform.microseconds
    #expect(budget.allows(80_000, at: now))
    #expect(!budget.allows(80_001, at: now))
    budget.spend(78_000)
    #expect(budget.allows(2_000, at: now))
    #expect(!budget.allows(2_001, at: now))
    #expect(budget.spent == 78_000)
    #expect(budget.delays == 1)
  }

  @Test("after a refused delay, no thread tries before the budget covers the shortest delay again")
  func refused() {
    let budget = DelayBudget(percent: 5)
    let start = budget.startedAt
    #expect(!budget.allowsNothing(at: Platform.coarseMilliseconds))
    // The budget still covers a shorter delay.
    #expect(!budget.allows(80_001, at: start))
    #expect(!budget.allowsNothing(at: Platform.coarseMilliseconds))
    budget.spend(80_000)
    let before = Platform.coarseMilliseconds
    #expect(!budget.allows(2_000, at: start))
    // 82 ms are 5 % of 1.64 s.
    #expect(budget.allowsNothing(at: before + 1_639))
    #expect(!budget.allowsNothing(at: Platform.coarseMilliseconds + 1_641))
    #expect(budget.allows(2_000, at: start + 1_640_000))
    budget.spend(1_920_000)
    #expect(!budget.allows(2_000, at: start + 1_000_000_000))
    #expect(budget.allowsNothing(at: .max - 1))
  }
}
