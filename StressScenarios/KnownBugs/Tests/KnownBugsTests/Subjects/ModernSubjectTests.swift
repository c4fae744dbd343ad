import InterlockStress
import Testing

@testable import KnownBugs

@Suite("The subjects of today's Swift and of the recipes", .timeLimit(.minutes(10)))
struct ModernSubjectTests {
  private typealias Operation = InterlockStress.Operation

  private func make(_ name: String) throws -> any Subject {
    try #require((modernSubjects + recipeSubjects).first { $0.name == name }).make()
  }

  @Test(
    "Modern subjects report their entries",
    arguments: (modernSubjects + recipeSubjects).map(\.name))
  func state(_ name: String) async throws {
    // Without an eviction or a release the subjects with handlers do not call NSCache.
    let subject = try make(name)
    let store = Operation(kind: .setAsync, key: "a", value: [1], cost: 5)
    #expect(await reply(of: subject, to: store) == .done)
    let state = try #require(await finalState(of: subject))
    #expect(state.count == 1)
    #expect(state.entries == ["a": 5])
    #expect(state.values == ["a": [1]])
  }
}
