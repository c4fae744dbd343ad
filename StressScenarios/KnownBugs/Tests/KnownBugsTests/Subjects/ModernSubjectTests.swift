import InterlockStress
import Testing

@testable import KnownBugs

@Suite("The subjects of today's Swift and of the recipes", .timeLimit(.minutes(10)))
struct ModernSubjectTests {
  private typealias Operation = InterlockStress.Operation

  private func make(_ name: String) throws -> any Subject {
    try #require((modernSubjects + recipeSubjects).first { $0.name == name }).make()
  }

  private func act(_ action: String, _ key: String = "key-0", _ value: [UInt8] = [1]) -> Operation {
    Operation(kind: .action(action), key: key, value: value, cost: value.count)
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

  @Test(
    "Modern subjects load published values, and report how often",
    arguments: ["", "-repaired"])
  func loading(_ suffix: String) async throws {
    let subject = try make("loading-actor" + suffix)
    _ = await reply(of: subject, to: act("publish", "key-0", [3, 4]))
    let get = Operation(kind: .get, key: "key-0")
    #expect(await reply(of: subject, to: get) == .value([3, 4]))
    #expect(await reply(of: subject, to: get) == .value([3, 4]))
    let state = try #require(await finalState(of: subject))
    #expect(state.limits == [.init("loads of key-0", value: 1, limit: 1)])
  }

  @Test("Modern subjects look up the values that they have just stored")
  func looking() async throws {
    for (name, found) in [("nscache-count-limit", 3), ("nscache-count-limit-repaired", 5)] {
      let subject = try make(name)
      for number in 0..<5 {
        _ = await reply(of: subject, to: act("set-and-look", "key-\(number)"))
      }
      let total = try #require(await finalState(of: subject)?.totals.first)
      #expect(total.claimed == 5)
      #expect(total.counted == found)
    }
  }

  @Test(
    "Modern subjects count the calls that the scenario names",
    arguments: ["two-step-count", "one-step-count"])
  func counting(_ name: String) async throws {
    let subject = try make(name)
    for _ in 0..<3 { _ = await reply(of: subject, to: act("count-one")) }
    let total = try #require(await finalState(of: subject)?.totals.first)
    #expect(total == .init("the count", claimed: 3, counted: 3))
  }

  @Test("Modern subjects edit a value whole", arguments: ["shared-value", "shared-value-copied"])
  func editing(_ name: String) async throws {
    let subject = try make(name)
    _ = await reply(of: subject, to: Operation(kind: .set, key: "key-0", value: [1, 1], cost: 2))
    _ = await reply(of: subject, to: act("edit", "key-0", [2, 3]))
    #expect(await finalState(of: subject)?.values == ["key-0": [2, 3]])
  }

  @Test(
    "Modern subjects report how much processor time a sleeping reader used",
    .enabled(if: PriorityThreads.lacking == nil))
  func watching() async throws {
    let subject = try make("watched-mutex")
    _ = await reply(of: subject, to: act("set-while-watched"))
    let state = try #require(await finalState(of: subject))
    let waste = try #require(state.limits.first)
    #expect(waste.value <= waste.limit)
    #expect(state.values == ["key-0": [1]])
  }
}
