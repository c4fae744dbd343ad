import Caches
import Foundation
import InterlockStress
import Testing

@testable import KnownBugs

@Suite("TMCache's subjects", .timeLimit(.minutes(10)))
struct TMCacheSubjectTests {
  static let names = tmcacheSubjects.map(\.name)

  func subject(_ name: String) throws -> any Subject {
    try #require(tmcacheSubjects.first { $0.name == name }).make()
  }

  @Test("TMCache subjects report their actual state", arguments: names)
  func state(_ name: String) async throws {
    let subject = try subject(name)
    for (key, value) in [("a", [1, 1]), ("b", [2])] as [(String, [UInt8])] {
      let store = InterlockStress.Operation(kind: .setAsync, key: key, value: value, cost: 5)
      #expect(await reply(of: subject, to: store) == .done)
    }
    #expect(
      await reply(of: subject, to: .init(kind: .getAsync, key: "a")) == .value([1, 1]))
    #expect(await reply(of: subject, to: .init(kind: .removeAsync, key: "b")) == .done)
    let state = try #require(await finalState(of: subject))
    #expect(state.count == 1)
    #expect(state.values == ["a": [1, 1]])
    #expect(state.totalCost == (name.contains("disk") ? nil : 5))
    #expect(state.indexes.count >= 2)
    for (index, keys) in state.indexes { #expect(keys == ["a"], "\(index)") }
    #expect(state.totals.allSatisfy { $0.claimed == $0.counted && $0.counted > 2 })
    #expect(state.totals.isEmpty == name.contains("memory"))
    #expect(state.limits.allSatisfy { $0.value == 0 && $0.limit == 1 })
    for (layer, values) in state.layers { #expect(values == ["a": [1, 1]], "\(layer)") }
    #expect(state.layers.isEmpty == name.hasPrefix("tmcache-memory") || name.contains("disk"))
  }

  @Test("TMCache subjects complete calls after the cache is released")
  func dropped() async throws {
    let subject = try subject("tmcache")
    #expect(await reply(of: subject, to: .init(kind: .action("drop"), key: "")) == .done)
    #expect(await reply(of: subject, to: .init(kind: .get, key: "a")) == .done)
    #expect(await finalState(of: subject) == nil)
  }

  @Test("TMCache subjects keep their files in a temporary folder, which is removed with them")
  func root() throws {
    let path: String
    do {
      let root = TMRoot()
      path = root.path
      #expect(path.hasPrefix(FileManager.default.temporaryDirectory.path))
      #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    }
    TMDiskCache.sharedQueue.sync {}
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
