/// The texts that `init` writes. They compile in a package of language mode 5 or 6.
enum InitTemplates {
  /// A test that stresses a type of the user's, or else an example.
  static func test(
    module: String, candidates: [UserPackage.Candidate],
    sketch: (UserPackage.Candidate, TypeSketch)?, usesXCTest: Bool
  ) -> String {
    let others = candidates.filter { $0.place != sketch?.0.place }
    let hints = others.map { "// - \($0.name), at \($0.place)\n" }.joined()
    let also = sketch == nil ? "" : " too"
    let hint = hints.isEmpty ? "" : "// Types of \(module) that are worth it\(also):\n\(hints)"
    let made = sketch?.1.made ?? "Example()"
    let subject = sketch == nil ? "example" : "subject"
    let calls =
      sketch?.1.calls ?? [
        #"let key = "key \(caller.random(in: 0..<4))""#, "example.store(1, for: key)",
        "_ = example.value(for: key)",
      ]
    let caller = calls.contains { $0.contains("caller") } ? "caller" : "_"
    let body =
      ["try await stress(\(made), callers: 4, rounds: 200) { \(subject), \(caller) in"]
      + calls.map { "  " + $0 } + ["}"]
    let name = sketch.map { "ManyCallersOf\($0.0.name)" } ?? "ManyCallers"
    let lines =
      ["// 4 callers at once, 200 times: each makes the calls that your callers make."] + body
    let test =
      usesXCTest
      ? """
      final class ConcurrencyTests: XCTestCase {
        func test\(name)() async throws {
      \(lines.map { "    " + $0 }.joined(separator: "\n"))
        }
      }
      """
      : """
      @Test func m\(name.dropFirst())() async throws {
      \(lines.map { "  " + $0 }.joined(separator: "\n"))
      }
      """
    let todo =
      sketch.map {
        "// \($0.0.name) is at \($0.0.place). The calls are read from its source:"
          + " change them as its\n// callers make them."
      } ?? "// Put a type of \(module) in the place of Example."
    return """
      import Foundation
      import InterlockTesting
      import \(usesXCTest ? "XCTest" : "Testing")

      @testable import \(module)

      // Calls a type from several callers at once. A hang, a failed expectation, and accesses of
      // marked state that overlap are failures, with both sides and a string that replays them.
      \(todo)
      \(hint)
      \(test)
      \(sketch == nil ? example : "")
      """
  }

  private static let example = """

    /// What is stressed, until a type of your own takes its place.
    private final class Example: @unchecked Sendable {
      private let lock = NSLock()
      private var values: [String: Int] = [:]

      func store(_ value: Int, for key: String) { lock.withLock { values[key] = value } }
      func value(for key: String) -> Int? { lock.withLock { values[key] } }
    }

    """

  /// A stress executable with one subject.
  static func executable(_ name: String, module: String) -> String {
    """
    import Foundation
    import Interlock
    import InterlockStress
    import \(module)

    /// A cache of \(module), as scenarios call it. Forward to a type of your own, and mark its
    /// state with a section, or with @Tracked.
    final class ExampleCache: Cache, @unchecked Sendable {
      private let lock = NSLock()
      private let entries = Section("example.entries")
      private var stored: [String: [UInt8]] = [:]

      func value(forKey key: String) -> [UInt8]? {
        lock.withLock { entries.read(synched: true) { stored[key] } }
      }

      func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
        lock.withLock { entries.write(synched: true) { stored[key] = value } }
      }

      func removeValue(forKey key: String) {
        lock.withLock { entries.write(synched: true) { stored[key] = nil } }
      }

      func removeAllValues() {
        lock.withLock { entries.write(synched: true) { stored = [:] } }
      }

      var count: Int {
        lock.withLock { entries.read(synched: true) { stored.count } }
      }
    }

    @main
    struct \(name): StressCommand {
      static let subjects: [SubjectEntry] = [
        .cache("example", "a dictionary under a lock") { ExampleCache() }
      ]
    }

    """
  }

  /// A scenario that every cache must pass.
  static let scenario = """
    {
      "name": "mixed",
      "summary": "64 blocks on one concurrent queue, reads and writes of 8 keys",
      "source": "written by 'interlock init'",
      "workload": {
        "driver": "dispatch-queue",
        "seed": 1,
        "keys": { "count": 8, "distribution": "uniform" },
        "valueBytes": 1024,
        "prepare": "all-keys",
        "phases": [
          { "callers": 64, "rounds": 200, "operations": { "get": 80, "set": 20 } }
        ]
      },
      "oracles": ["completes-once", "values-intact"]
    }

    """
}
