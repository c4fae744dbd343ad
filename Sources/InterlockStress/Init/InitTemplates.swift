import StressRunner

/// The texts that `init` writes. They compile in a package with language mode 5 or 6.
enum InitTemplates {
  /// A test that stresses a type of the user, or otherwise an example.
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
      \(sketch == nil ? "import Interlock\n" : "")import InterlockTesting
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

    /// The type under stress, until a type of your own takes its place. Its marks take no lock: a
    /// debug build stops a writer that meets a reader or a writer.
    private final class Example: @unchecked Sendable {
      private let lock = NSLock()
      private var values: [String: Int] = [:]

      func store(_ value: Int, for key: String) {
        lock.withLock {
          BEGIN_LOCK(.noReadWrite, "values", of: self)
          values[key] = value
          END_LOCK(.noReadWrite, "values", of: self)
        }
      }

      func value(for key: String) -> Int? {
        lock.withLock {
          BEGIN_LOCK(.noWrite, "values", of: self)
          defer { END_LOCK(.noWrite, "values", of: self) }
          return values[key]
        }
      }
    }

    """

  /// A stress executable with one subject, in addition to the four caches of the thousand reads.
  static func executable(_ name: String, module: String) -> String {
    """
    import Foundation
    import Interlock
    import InterlockStress
    import \(module)

    /// A cache of \(module), as scenarios call it. Forward to a type of your own, and mark what
    /// its methods read and write: a debug build stops a writer that meets a reader or a writer.
    final class ExampleCache: Cache, @unchecked Sendable {
      private let lock = NSLock()
      private var stored: [String: [UInt8]] = [:]

      func value(forKey key: String) -> [UInt8]? {
        lock.withLock { reading { stored[key] } }
      }

      func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
        lock.withLock { writing { stored[key] = value } }
      }

      func removeValue(forKey key: String) { lock.withLock { writing { stored[key] = nil } } }
      func removeAllValues() { lock.withLock { writing { stored = [:] } } }
      var count: Int { lock.withLock { reading { stored.count } } }

      private func reading<R>(_ body: () -> R) -> R {
        BEGIN_LOCK(.noWrite, "entries", of: self)  // others may read now, none may write
        defer { END_LOCK(.noWrite, "entries", of: self) }
        return body()
      }

      private func writing<R>(_ body: () -> R) -> R {
        BEGIN_LOCK(.noReadWrite, "entries", of: self)  // no other may read or write now
        defer { END_LOCK(.noReadWrite, "entries", of: self) }
        return body()
      }
    }

    @main
    struct \(name): StressCommand {
      static let subjects: [SubjectEntry] =
        SubjectEntry.builtIn + [.cache("example", "a dictionary under a lock") { ExampleCache() }]
    }

    """
  }

  /// A scenario of reads and writes, which finds a missing lock. It uses threads, so that no pool
  /// is starved.
  static let mixed = """
    {
      "name": "mixed",
      "summary": "8 threads, reads and writes of 8 keys",
      "source": "written by 'interlock init'",
      "workload": {
        "driver": "threads",
        "seed": 1,
        "keys": { "count": 8, "distribution": "uniform" },
        "valueBytes": 1024,
        "prepare": "all-keys",
        "phases": [
          { "callers": 8, "rounds": 500, "operations": { "get": 80, "set": 20 } }
        ]
      },
      "oracles": ["completes-once", "values-intact"]
    }

    """

  /// The scenario of the thousand reads, with its expectations for `SubjectEntry.builtIn`.
  static let thousandReads: String = {
    let text = World.builtInTexts.first { $0.name == "concurrent-reads" }?.bytes ?? []
    let lines = String(decoding: text, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    let start = lines.firstIndex { $0.contains("\"expect\":") } ?? lines.endIndex
    let others = lines[start...].dropFirst().filter { line in
      line.contains("\"") && !SubjectEntry.builtIn.contains { line.contains("\"\($0.name)\":") }
    }
    return lines.filter { !others.contains($0) }.joined(separator: "\n")
      .replacing("},\n  }\n}", with: "}\n  }\n}")
  }()
}
