import Foundation
import Testing

extension SyncEvents {
  /// `InterlockWatchdog`, in processes that hang and in some that do not.
  @Suite("The watchdog")
  struct WatchdogTests {
    /// A hang, and what the report must have in it.
    struct Hang: CustomTestStringConvertible, Sendable {
      var program: String
      var parts: [String]
      /// What is not certain outside a test is told when nothing has happened for so many seconds.
      var limit = "30"
      var testDescription: String { program }
    }

    static let hangs = [
      Hang(program: "cycle", parts: ["(cycle)", "the mutex made at Programs+Hangs.swift:"]),
      Hang(
        program: "left-locked",
        parts: ["(abandoned-lock)", "ended without unlocking the mutex made at"]),
      Hang(program: "self", parts: ["(self)", "hang.self"]),
      Hang(program: "relock", parts: ["(self)"]), Hang(program: "lost", parts: ["(lost-wake-up)"]),
      Hang(program: "lost-for-ever", parts: ["(lost-wake-up)"]),
      Hang(program: "never-resumed", parts: ["(suspended)"], limit: "1"),
      Hang(program: "checked-never-resumed", parts: ["(suspended)"], limit: "1"),
    ]

    /// The lines of a program that its source marks, as a report has them.
    private static func lines(of program: String, _ file: String = #filePath) throws -> [String] {
      let name = "Programs+Hangs.swift"
      let source = URL(fileURLWithPath: file).deletingLastPathComponent()
        .appendingPathComponent("../../SyncEventsTestChild/\(name)")
      return try String(contentsOf: source, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false
      ).enumerated().compactMap { index, line in
        line.contains("// \(program): ") ? "\(name):\(index + 1) " : nil
      }
    }

    @Test(
      "ends what hangs with its own code, the cause, the lines and all stacks", arguments: hangs)
    func ends(_ hang: Hang) throws {
      let child = try ChildRun(hang.program, hang.limit, limit: 25)
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.errors.hasPrefix("interlock: this process "), "\(child.errors)")
      #expect(child.errors.contains("interlock: ending the process with code 86"))
      #expect(child.errors.contains("threads:\n"))
      #expect(child.errors.contains("      #0 "))
      let lines = try Self.lines(of: hang.program)
      #expect(lines.count >= 1)
      for part in hang.parts + lines { #expect(child.errors.contains(part), "\(child.errors)") }
    }

    @Test("needs no code where the environment asks for it")
    func environment() throws {
      let child = try ChildRun("cycle", options: "hang_limit=30", limit: 25)
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.errors.contains("(cycle)"))
    }

    @Test("is not there where nobody asks for it")
    func notAsked() throws {
      let child = try ChildRun("sleeps")
      #expect(child.status == 0)
      #expect(child.errors.isEmpty)
      #expect(child.words == ["done"])
    }

    @Test(
      "leaves alone what computes, sleeps, or has nothing to do for longer than the limit",
      arguments: ["computes", "listens", "sleeps", "run-loop", "task-sleeps"])
    func quiet(_ program: String) throws {
      let child = try ChildRun(program, "1")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.errors.isEmpty, "\(child.errors)")
      #expect(child.words.first == "done")
      // It did last longer than the limit.
      #expect(child.seconds > 2.5)
    }

    @Test(
      "says in one line which value it cannot take, and lets the program run on",
      arguments: [
        "hang_limit=soon", "hang_limit=0", "hang_limit=-1", "hang_limit=", "hang_limit=nan",
      ])
    func badValue(_ option: String) throws {
      let child = try ChildRun("ends", options: option)
      #expect(child.status == 0)
      #expect(child.words == ["done"])
      let lines = child.errors.split(separator: "\n")
      #expect(lines.count == 1, "\(child.errors)")
      #expect(lines.first?.hasPrefix("interlock: INTERLOCK_OPTIONS: 'hang_limit' must be") ?? false)
      #expect(lines.first?.contains("0.1 to 86400") ?? false)
    }

    @Test("reports readers behind a barrier at its limit, with the threads that they need")
    func growingPool() throws {
      let child = try ChildRun(
        "readers-64", "2", environment: ["INTERLOCK_POOL_WIDTH": "2"], limit: 30)
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.errors.contains("nothing has happened for 2."), "\(child.errors)")
      #expect(child.errors.contains("(starvation)"), "\(child.errors)")
      #expect(child.errors.contains("it needs 65 threads"), "\(child.errors)")
      #expect(child.errors.contains("never within Apple's limit of 64 threads"))
    }

    @Test(
      "is certain of blocks that need more threads than the pool may have, and right of how many",
      arguments: ["readers-300", "callers-300"])
    func poolTooSmall(_ program: String) throws {
      let child = try ChildRun(program, "60", limit: 30)
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.errors.contains("interlock: this process can never go on"), "\(child.errors)")
      #expect(child.errors.contains("it needs 301 threads"), "\(child.errors)")
      func status(_ width: Int) throws -> Int32 {
        try ChildRun(
          program, "60", environment: ["INTERLOCK_POOL_WIDTH": "\(width)"], limit: 60
        ).status
      }
      // Beyond 255 threads a pool does not grow: the width is what it has.
      #expect(try status(300) == 86)
      #expect(try status(301) == 0)
    }

    @Test("leaves readers alone that the pool serves when it has grown, and Apple's at once")
    func slowPool() throws {
      let child = try ChildRun(
        "readers-5", "1", environment: ["INTERLOCK_POOL_WIDTH": "1"], limit: 60)
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.words == ["done"])
      // The pool did grow for longer than the limit.
      #expect(child.seconds > 2.5)
    }

    @Test("keeps its limit where a worker without work ends meanwhile")
    func idleWorkerEnds() throws {
      let child = try ChildRun("unsure-beside-idle", "6", limit: 40)
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.seconds < 10.5, "\(child.errors)")
    }

    @Test("says once that it is armed, unless that is to be left out")
    func armed() throws {
      let child = try ChildRun("ends", options: "hang_limit=30 predict=on", quiet: false)
      #expect(child.status == 0)
      #expect(
        child.errors.split(separator: "\n") == [
          "interlock: prediction is armed: what it finds is written at exit",
          "interlock: the watchdog is armed: a hang ends this process with code 86, a certain one at once"
            + " and another after 30.0 s",
        ])
      #expect(try ChildRun("ends", options: "hang_limit=30 predict=on").errors.isEmpty)
      let none = try ChildRun("ends", options: nil, quiet: false)
      #expect(none.errors.isEmpty)
    }

    @Test("reports an option that is misspelt where no section is begun and none of its own is set")
    func misspelt() throws {
      let child = try ChildRun("ends", options: "on_conflct=log")
      #expect(child.status == 0)
      #expect(child.errors.split(separator: "\n").count == 1, "\(child.errors)")
      #expect(child.errors.hasPrefix("interlock: INTERLOCK_OPTIONS: unknown option 'on_conflct';"))
    }

    @Test("takes the limit of the last start")
    func changedLimit() throws {
      // The program waits for three seconds, for a thread that sleeps: that is not certain to be a
      // hang.
      let short = try ChildRun("unsure", "60", "1", limit: 30)
      #expect(short.status == 86, "\(short.errors)")
      let long = try ChildRun("unsure", "1", "60", limit: 30)
      #expect(long.status == 0, "\(long.errors)")
      #expect(long.words == ["done"])
    }
  }
}
