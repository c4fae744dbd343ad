import Testing

@testable import StressRunner

@Suite("A workload's plan")
struct WorkloadPlanTests {
  private static let weighted = Workload.Operations.weighted([
    .init(kind: .get, weight: 90), .init(kind: .set, weight: 10),
  ])

  private func plan(
    _ operations: Workload.Operations = weighted, callers: Int = 50, rounds: Int = 40,
    keys: Int = 100, _ distribution: Workload.Distribution = .uniform, seed: UInt64 = 7
  ) -> WorkloadPlan {
    let phase = Workload.Phase(callers: callers, rounds: rounds, operations: operations)
    return WorkloadPlan(
      Workload(
        driver: .threads, phases: [phase], keys: keys, distribution: distribution,
        valueBytes: 8, preparesAllKeys: false, seed: 0),
      seed: seed)
  }

  private func calls(of plan: WorkloadPlan, phase: Int = 0) -> [WorkloadPlan.Call] {
    var calls: [WorkloadPlan.Call] = []
    plan.forEachCall(ofPhase: phase) { calls.append($0) }
    return calls
  }

  @Test("A plan is the same for the same seed, and differs for another")
  func seeds() {
    let first = calls(of: plan(seed: 7))
    #expect(first.count == 2_000)
    #expect(calls(of: plan(seed: 7)) == first)
    #expect(calls(of: plan(seed: 8)) != first)
  }

  @Test("A plan never changes from one version to the next")
  func golden() {
    // The output of the published reference implementation with seed 0.
    var generator = SplitMix64(seed: 0)
    #expect(generator.next() == 0xE220_A839_7B1D_CDAF)
    #expect(generator.next() == 0x6E78_9E6A_A1B9_65F4)
    #expect(generator.next() == 0x06C4_5D18_8009_454F)
    #expect(calls(of: plan(callers: 2, rounds: 4, seed: 1)).map(\.key) == goldenKeys)
  }

  @Test("A plan gives callers and rounds independent calls")
  func independence() {
    let plan = plan(callers: 20, rounds: 20, keys: 1_000_000)
    #expect(Set(calls(of: plan).map(\.key)).count > 390)
  }

  @Test("A plan draws kinds by weight")
  func weights() {
    let gets = calls(of: plan(callers: 100, rounds: 100)).count { $0.kind == .get }
    #expect((8_800...9_200).contains(gets))
  }

  @Test("A plan makes the calls of a sequence in order, with one key for each round")
  func sequence() {
    let plan = plan(.sequence([.set, .get, .remove]), callers: 3, rounds: 5)
    for caller in 0..<3 {
      for round in 0..<5 {
        let calls = (0..<3).map { plan.call(phase: 0, caller: caller, index: round * 3 + $0) }
        #expect(calls.map(\.kind) == [.set, .get, .remove])
        #expect(Set(calls.map(\.key)).count == 1)
      }
    }
  }

  @Test("A uniform plan draws every key equally often")
  func uniform() {
    let counts = counts(of: plan(callers: 100, rounds: 1_000, keys: 10))
    #expect(counts.allSatisfy { (9_500...10_500).contains($0) })
  }

  @Test("A Zipf plan draws key r with a probability proportional to 1/(r+1)")
  func zipf() {
    let counts = counts(of: plan(callers: 100, rounds: 1_000, keys: 4, .zipf))
    // 1 + 1/2 + 1/3 + 1/4 = 25/12, so of 100,000: 48,000, 24,000, 16,000, 12,000.
    for (count, expected) in zip(counts, [48_000, 24_000, 16_000, 12_000]) {
      #expect(abs(count - expected) < 800)
    }
  }

  @Test("A plan with keys per caller gives each caller its own key, the same in each phase")
  func perCaller() {
    let phase = Workload.Phase(callers: 5, rounds: 2, operations: .sequence([.get]))
    let plan = WorkloadPlan(
      Workload(
        driver: .tasks, phases: [phase, phase], keys: 5, distribution: .perCaller, valueBytes: 0,
        preparesAllKeys: false, seed: 0),
      seed: 3)
    let expected = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    #expect(calls(of: plan, phase: 0).map(\.key) == expected)
    #expect(calls(of: plan, phase: 1).map(\.key) == expected)
  }

  @Test("A plan lists the kinds of call that it needs, its preparation's too")
  func kinds() {
    var workload = plan(.sequence([.get, .remove])).workload
    #expect(workload.kinds == [.get, .remove])
    workload.preparesAllKeys = true
    #expect(workload.kinds == [.get, .remove, .set])
    #expect(plan().workload.kinds == [.get, .set])
  }

  private func counts(of plan: WorkloadPlan) -> [Int] {
    var counts = [Int](repeating: 0, count: plan.workload.keys)
    plan.forEachCall(ofPhase: 0) { counts[$0.key] += 1 }
    return counts
  }
}

/// The keys of two callers in four rounds with seed 1, computed independently.
private let goldenKeys = [88, 26, 21, 36, 74, 48, 36, 15]
