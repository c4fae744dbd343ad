import CInterlockExplorer
import TestSupport
import Testing

@Suite(.serialized, .controlled, .offThePool) struct ProgramTests {
  @Test(
    "DPOR finds each outcome that all orders of a random program on queues have",
    arguments: [1, 4, 9, 10, 13, 15, 16, 19, 21, 22, 24, 25, 27, 28, 31, 33, 36, 37, 39])
  func queues(_ number: Int) throws {
    func search(_ name: String) throws -> Exploration {
      try Exploration(
        "program-\(number)", "--pool-width", "4", "--executions", "100000", "--search", name)
    }
    let all = try search("dfs")
    let reduced = try search("dpor")
    #expect(all.isComplete)
    #expect(reduced.isComplete)
    #expect(reduced.outcomes == all.outcomes)
    #expect(reduced.executions <= all.executions)
  }

  @Test(
    "DPOR finds each outcome that 1,000 random orders of a random program of tasks have",
    arguments: [5, 8, 14, 17, 29, 32, 35, 38])
  func tasks(_ number: Int) throws {
    let random = try Exploration("program-\(number)", "--pool-width", "4")
    let reduced = try Exploration(
      "program-\(number)", "--pool-width", "4", "--executions", "100000", "--search", "dpor")
    #expect(reduced.isComplete)
    #expect(Set(reduced.outcomes).isSuperset(of: random.outcomes))
  }
}
