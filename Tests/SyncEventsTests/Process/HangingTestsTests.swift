import Foundation
import Testing

extension SyncEvents {
  /// `InterlockWatchdog` in a process that runs tests of XCTest or Swift Testing:
  /// `Tests/HangingTests`.
  @Suite("The watchdog in tests")
  struct HangingTestsTests {
    /// A test that hangs.
    struct Hang: CustomTestStringConvertible, Sendable {
      /// The name of the test, as given to the library.
      var name: String
      /// The class of a test of XCTest.
      var suite = "XCHangs"
      /// The cause, and what else the report must have; for Swift Testing, also the test's name.
      var parts: [String]
      var library = "xctest"
      /// True if nothing can still end the hang, so that it is reported before the limit.
      var isCertain = true
      var testDescription: String { "\(library) \(name)" }
    }

    static let hangs = [
      Hang(name: "testRelock", parts: ["(self)"]),
      Hang(name: "testSemaphoresInTasks", parts: ["(starvation)"]),
      Hang(name: "testNeverResumed", parts: ["(suspended)"]),
      Hang(name: "testActorBlocked", parts: ["(cycle)", "the actor Gate"]),
      Hang(name: "testTasksCrossed", parts: ["(cycle)"]),
      Hang(name: "testThrowingGroupCrossed", parts: ["(cycle)"]),
      Hang(name: "testExpectation", parts: [], isCertain: false),
      Hang(name: "testExpectationBlocking", parts: [], isCertain: false),
      Hang(name: "testInherited", suite: "XCInheriting", parts: ["(suspended)"]),
      Hang(name: "testInExtension", suite: "XCInheriting", parts: ["(suspended)"]),
      Hang(
        name: "relock",
        parts: ["test: \"takes a lock again\" STHangs.relock() (STHangs.swift:", "(self)"],
        library: "swift-testing"),
      Hang(
        name: "neverResumed",
        parts: ["test: STHangs.neverResumed() (STHangs.swift:", "(suspended)"],
        library: "swift-testing"),
      Hang(
        name: "actorBlocked",
        parts: ["test: STHangs.actorBlocked() (STHangs.swift:", "(cycle)", "the actor Gate"],
        library: "swift-testing"),
      Hang(
        name: "tasksCrossed",
        parts: ["test: STHangs.tasksCrossed() (STHangs.swift:", "(cycle)"],
        library: "swift-testing"),
      Hang(
        name: "argument",
        parts: ["test: STHangs.argument(_:) with 2 (STHangs.swift:", "(suspended)"],
        library: "swift-testing"),
    ]

    @Test(
      "The watchdog names a hanging test and the cause, at once if it is certain",
      arguments: hangs)
    func names(_ hang: Hang) throws {
      let child = try Self.run(
        hang.library, "\(hang.library == "xctest" ? hang.suite : "STHangs")/\(hang.name)",
        limit: hang.isCertain ? 60 : 1)
      #expect(child.status == 86, "\(child.output)\(child.errors)")
      #expect(
        child.errors.contains(
          hang.isCertain
            ? "interlock: this process is deadlocked"
            : "interlock: this process hangs: nothing has happened for "),
        "\(child.errors)")
      if hang.library == "xctest" {
        let line = try Self.lines(in: "XCHangs.swift") { $0.contains("func \(hang.name)()") }
        let test = "\n  test: \(hang.suite).\(hang.name) (\(line.joined()))\n"
        #expect(child.errors.contains(test), "\(child.errors)")
      }
      for part in try hang.parts + Self.lines(of: hang.name) {
        #expect(child.errors.contains(part), "\(child.errors)")
      }
      #expect(child.errors.components(separatedBy: "  test: ").count == 2, "\(child.errors)")
    }

    @Test("The watchdog names all tests that have begun and not ended")
    func together() throws {
      let child = try Self.run("swift-testing", "STHangs/(neverResumed|argument)", limit: 60)
      #expect(child.status == 86, "\(child.output)\(child.errors)")
      #expect(child.errors.contains("test: STHangs.neverResumed()"), "\(child.errors)")
      #expect(child.errors.contains("test: STHangs.argument(_:) with 2"), "\(child.errors)")
      #expect(!child.errors.contains("with 1"), "\(child.errors)")
    }

    @Test(
      "The watchdog does not end tests whose long wait is answered",
      arguments: [("xctest", "XCQuiet"), ("swift-testing", "STQuiet")])
    func quiet(library: String, suite: String) throws {
      let child = try Self.run(library, suite, limit: 30)
      #expect(child.status == 0, "\(child.output)\(child.errors)")
      #expect(!child.errors.contains("interlock:"), "\(child.errors)")
    }

    @Test("The watchdog counts a run loop's timers as progress, and its polls as none")
    func ticks() throws {
      let child = try Self.run("xctest", "XCQuiet/testRunLoopTimer", limit: 1)
      #expect(child.status == 0, "\(child.output)\(child.errors)")
      #expect(!child.errors.contains("interlock:"), "\(child.errors)")
      #expect(child.seconds > 1.8)
    }

    @Test(
      "A lock that a test leaves locked is predicted, with the line that took it",
      arguments: [
        ("xctest", "XCLeft/testLeftLocked", "abandoned-lock: a thread called exit without"),
        ("swift-testing", "STLeft/leftLocked", "lock-across-await: a task left its thread, at an"),
        ("swift-testing", "STLeft/heldAcrossAwait", "lock-across-await"),
      ])
    func left(library: String, test: String, finding: String) throws {
      let child = try Self.run(library, test, options: "predict=on")
      #expect(child.status == 0, "\(child.output)\(child.errors)")
      #expect(child.errors.contains("potential, not observed: " + finding), "\(child.errors)")
      let name = test.split(separator: "/").last.map(String.init) ?? ""
      for line in try Self.lines(of: name) { #expect(child.errors.contains("taken at " + line)) }
      #expect(child.errors.contains(", called at "), "\(child.errors)")
    }

    @Test(
      "A blocking wait is predicted in a task of the user's code, or where a task must end it",
      arguments: ["forTask", "inTask", "inChildTask"])
    func waits(test: String) throws {
      let child = try Self.run("swift-testing", "STWaits/\(test)", options: "predict=on")
      #expect(child.status == 0, "\(child.output)\(child.errors)")
      #expect(
        child.errors.contains("potential, not observed: blocking-wait-in-task"), "\(child.errors)")
    }

    @Test(
      "No blocking wait is predicted in a synchronous test that waits for its own queue",
      arguments: ["forOwnQueue", "forOwnGroup"])
    func waitsForItsQueue(test: String) throws {
      let child = try Self.run("swift-testing", "STWaits/\(test)", options: "predict=on")
      #expect(child.status == 0, "\(child.output)\(child.errors)")
      #expect(!child.errors.contains("blocking-wait-in-task"), "\(child.errors)")
    }

    private static func run(_ library: String, _ test: String, limit: Int) throws -> ChildRun {
      try run(library, test, options: "hang_limit=\(limit)")
    }

    private static func run(
      _ library: String, _ test: String, options: String
    ) throws -> ChildRun {
      return library == "xctest"
        ? try ChildRun("HangingTests." + test, program: "HangingTests", options: options, limit: 90)
        : try ChildRun(
          "--testing-library", library, "--filter", test, program: "HangingTests",
          options: options, limit: 90)
    }

    /// The marked lines of a test's source, in the form that a report shows.
    private static func lines(of test: String) throws -> [String] {
      try ["Hangs.swift", "XCHangs.swift", "STHangs.swift"].flatMap { name in
        try lines(in: name) { $0.contains(" \(test): ") || $0.contains(" \(test), ") }
          .map { $0 + " " }
      }
    }

    /// The marked lines of a file, as in `XCHangs.swift:7`.
    private static func lines(
      in name: String, _ path: String = #filePath, where isWanted: (Substring) -> Bool
    ) throws -> [String] {
      let file = URL(fileURLWithPath: path).deletingLastPathComponent()
        .appendingPathComponent("../../HangingTests/\(name)")
      return try String(contentsOf: file, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false
      ).enumerated().compactMap { isWanted($1) ? "\(name):\($0 + 1)" : nil }
    }
  }
}
