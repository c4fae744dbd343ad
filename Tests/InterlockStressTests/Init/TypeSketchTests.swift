import Testing

@testable import InterlockStress

/// The first test that 'init' writes for a type, made from the type's source.
@Suite("The sketch of a type")
struct TypeSketchTests {
  @Test("The sketch of a generic class calls its first initialiser whose values are known")
  func generic() throws {
    let source = #"""
      import Foundation
      private let other = 1
      // class Store { a comment
      @frozen
      public final class Store<Key: Hashable, Value>: @unchecked Sendable {
        private var values: [Key: Value] = [:]
        public var limit: Int
        public private(set) var name = "{ \" func hidden() {"
        init(other: Other) {}
        init?(path: String) { nil }
        public init(limit: Int = 10, name: String) { self.limit = limit }
        public func value(for key: Key) -> Value? { values[key] }
        @discardableResult public func set(
          _ value: Value,
          for key: Key
        ) -> Bool { true }
        func make(_ key: Key, by make: @escaping @Sendable (Key) async throws -> Value)
          async throws -> Value { try await make(key) }
        func waitForAll() {}
        private func evict() {}
        static func shared() -> Int { 1 }
        func generic<T>(_ value: T) {}
        func foreign(_ value: Other) {}
        #if os(macOS)
        func onlyThere() {}
        #endif
        var sizes: [Int] { get async { [] } }
      }
      extension Store where Value == Int { func sum() -> Int { 0 } }
      extension Store { var count: Int { 1 } }
      """#
    let sketch = try #require(TypeSketch("Store", in: [source]))
    #expect(sketch.made == #"Store<Int, Int>(name: "a")"#)
    let number = "caller.random(in: 0..<4)"
    #expect(
      sketch.calls == [
        "subject.limit = \(number)", "_ = subject.name", "_ = subject.value(for: \(number))",
        "_ = subject.set(\(number), for: \(number))",
        "_ = try await subject.make(\(number), by: { _ in 1 })", "_ = subject.count",
      ])
  }

  @Test("The sketch of an actor awaits its members, unless they are not isolated")
  func isolated() throws {
    let source = """
      actor Loader {
        var loads = 0
        nonisolated var name: String { "a" }
        func load(_ path: String?) throws -> Int { 1 }
        nonisolated func cancel() {}
      }
      """
    let sketch = try #require(TypeSketch("Loader", in: [source]))
    #expect(sketch.made == "Loader()")
    #expect(
      sketch.calls == [
        "_ = await subject.loads", "_ = subject.name", "_ = try await subject.load(nil)",
        "subject.cancel()",
      ])
  }

  @Test("The sketch of a type with only a shared instance uses that instance")
  func shared() throws {
    let source = """
      final class Center: Posting, @unchecked Sendable {
        static let shared = Center()
        private init() {}
        func post(name: String) {}
      }
      protocol Posting {}
      """
    let sketch = try #require(TypeSketch("Center", in: [source]))
    #expect(sketch.made == "Center.shared")
    #expect(sketch.calls == [#"subject.post(name: "\(caller.random(in: 0..<4))")"#])
  }

  @Test(
    "A type that a test cannot make or call has no sketch",
    arguments: [
      "final class Store: @unchecked Sendable { init(_ other: Other) {}; func a() {} }",
      "final class Store: Base, @unchecked Sendable { func a() {} }",
      "final class Store: @unchecked Sendable { let other: Other; func a() {} }",
      "private final class Store: @unchecked Sendable { func a() {} }",
      "@MainActor final class Store { func a() {} }",
      "final class Store<T: Other>: @unchecked Sendable { func a() {} }",
      "final class Store: @unchecked Sendable { func a(_ other: inout Int) {} }",
      "extension Store: @unchecked Sendable {}",
      "enum Outer { final class Store: @unchecked Sendable { func a() {} } }",
      "final class Store {", "/* final class Store { func a() {} }", "\"",
    ])
  func none(source: String) {
    #expect(TypeSketch("Store", in: [source]) == nil)
  }
}
