import InterlockStress
import Synchronization
import Testing

@testable import KnownBugs

/// The state that Tusker's image cache reports to the oracles after a correct run.
@Suite("Tusker's image cache as a subject", .timeLimit(.minutes(10)))
struct ImageCacheSubjectTests {
  static let names = ["tusker", "tusker-repaired", "kingfisher-index", "kingfisher-index-repaired"]

  private func subject(_ name: String) throws -> any Subject {
    try #require(imageCacheSubjects.first { $0.name == name }).make()
  }

  private func act(_ name: String, on subject: any Subject, value: [UInt8] = []) async {
    let call = InterlockStress.Operation(kind: .action(name), key: "key-0", value: value)
    #expect(await reply(of: subject, to: call) == .done)
  }

  @Test("Tusker's subject keeps values as images, in memory and on disk", arguments: names)
  func values(_ name: String) async throws {
    let subject = try subject(name)
    await act("scan", on: subject)
    await act("has", on: subject)
    let set = InterlockStress.Operation(kind: .set, key: "key-0", value: [1, 2, 3], cost: 3)
    #expect(await reply(of: subject, to: set) == .done)
    let get = InterlockStress.Operation(kind: .get, key: "key-0")
    #expect(await reply(of: subject, to: get) == .value([1, 2, 3]))
    await act("forget-memory", on: subject)
    #expect(await reply(of: subject, to: get) == .value([1, 2, 3]))
    let state = try #require(await finalState(of: subject))
    #expect(state.count == 1)
    #expect(state.values == ["key-0": [1, 2, 3]])
    #expect(state.layers == ["memory": state.values, "disk": state.values])
    #expect(state.indexes == ["the folder": ["key-0"], "the index of files": ["key-0"]])
  }

  @Test("Tusker's subject reports downloads, callbacks and cancels", arguments: names)
  func events(_ name: String) async throws {
    let subject = try subject(name)
    for _ in 0..<2 { await act("request", on: subject) }
    await act("prefetch", on: subject)
    await act("cancel", on: subject)
    await act("cancel-prefetch", on: subject)
    let get = InterlockStress.Operation(kind: .getAsync, key: "key-0")
    let answers = Mutex<[Reply]>([])
    subject.perform(get) { answer in answers.withLock { $0.append(answer) } }
    #expect(answers.withLock { $0 } == [])
    await act("deliver", on: subject, value: [4])
    #expect(answers.withLock { $0 } == [.value([4])])
    let state = try #require(await finalState(of: subject))
    #expect(state.events == [.cancelled(request: 2), .calledBack(request: 1)])
    #expect(state.limits.map(\.value) == [1, 0])
    #expect(state.limits.map(\.limit) == [1, 0])
    #expect(state.values == ["key-0": [4]])
  }

  @Test(
    "Tusker's attachments are lost with memory, and are then loaded again",
    arguments: ["tusker-attachments", "tusker-attachments-repaired"])
  func withoutDisk(_ name: String) async throws {
    let subject = try subject(name)
    let set = InterlockStress.Operation(kind: .set, key: "key-0", value: [1], cost: 1)
    #expect(await reply(of: subject, to: set) == .done)
    await act("check-cached", on: subject)
    await act("forget-memory", on: subject)
    let get = InterlockStress.Operation(kind: .get, key: "key-0")
    #expect(await reply(of: subject, to: get) == .value(nil))
    await act("prefetch", on: subject)
    await act("deliver", on: subject, value: [2])
    #expect(await reply(of: subject, to: get) == .value([2]))
    let state = try #require(await finalState(of: subject))
    #expect(state.layers == ["memory": ["key-0": [2]], "disk": [:]])
    #expect(state.limits.map(\.value) == [1, 0])
  }

  @Test("Tusker's subject loads published images")
  func published() async throws {
    let subject = try subject("tusker-http-repaired")
    let set = InterlockStress.Operation(kind: .set, key: "key-0", value: [5, 6], cost: 2)
    #expect(await reply(of: subject, to: set) == .done)
    #expect(
      await reply(of: subject, to: InterlockStress.Operation(kind: .get, key: "key-0"))
        == .value(nil))
    let get = InterlockStress.Operation(kind: .getAsync, key: "key-0")
    for _ in 0..<2 { #expect(await reply(of: subject, to: get) == .value([5, 6])) }
    #expect(
      await reply(of: subject, to: InterlockStress.Operation(kind: .getAsync, key: "key-1"))
        == .value(nil))
    let state = try #require(await finalState(of: subject))
    #expect(state.limits.map(\.value) == [1, 1, 0])
    #expect(state.values == ["key-0": [5, 6]])
  }
}
