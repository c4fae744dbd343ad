import Foundation
import Testing

#if DEBUG

extension SyncEvents {
  /// The order of Interlock's own locks, which a debug build checks.
  @Suite("Own locks")
  struct OwnLockTests {
    private static func run(
      _ arguments: [String], program: String = "SyncEventsTestChild", options: String? = nil
    ) throws -> ChildRun {
      try ChildRun(
        arguments: arguments, program: program, options: options,
        environment: ["INTERLOCK_CHECK_OWN_LOCKS": "1"])
    }

    @Test(
      "A cycle of own locks, and a foreign lock under one, is found",
      arguments: [
        ("cycle", "'first' is taken under 'second', and elsewhere in the other order"),
        ("foreign", "'pthread_mutex_lock' is called under 'first'"),
        ("handler", "'pthread_mutex_lock' is called under 'first'"),
        ("allocation", "'malloc' is called under 'first'"),
      ])
    func violations(way: String, line: String) throws {
      let child = try Self.run(["own-locks", way])
      #expect(child.status == -SIGABRT)
      #expect(child.errors.contains("own locks: \(line)"), "\(child.errors)")
    }

    @Test(
      "Locks in one order are no cycle, and a signal's handler waits until no own lock is held",
      arguments: ["none", "waiting"])
    func noViolation(way: String) throws {
      let child = try Self.run(["own-locks", way])
      #expect(child.words == ["done"])
      #expect(child.errors.contains("without a cycle"), "\(child.errors)")
    }

    @Test(
      "The tables take no own locks in a cycle, and no foreign lock under one",
      arguments: [
        ["locks-in-a-loader-callback"], ["signals-in-analysis", "1000"], ["signals"], ["both-ways"],
        ["many-locks"], ["short-lived-locks"], ["left-lock"], ["many-signals"],
        ["notification-and-wait-under-lock"], ["contended-mutex"], ["main-reads-before-its-signal"],
        ["too-many-awaits"], ["blocks", "2000"], ["crowd", "500", "50"], ["thread-end", "50"],
        ["fork", "20", "0"], ["fork-in-locks", "20"], ["forwarded-in-order"],
      ])
    func tables(program: [String]) throws {
      let child = try Self.run(program, options: "predict=on hang_limit=30")
      #expect(!child.errors.contains("' is called under '"), "\(child.errors)")
      #expect(!child.errors.contains("' is taken under '"), "\(child.errors)")
      #expect(child.errors.contains("without a cycle"), "\(child.errors)")
    }

    @Test(
      "Explored and checked programs take own locks in no cycle, and no foreign lock under one",
      arguments: [
        ("MemoryProgram", ["--check", "actor-reentered"]),
        ("MemoryProgram", ["--check", "global-actor"]),
        ("ExplorerTestChild", ["lost-update"]), ("ExplorerTestChild", ["crossed-locks"]),
        ("ExplorerTestChild", ["async-let"]), ("ExplorerTestChild", ["sections-mutex"]),
        ("ExplorerTestChild", ["dry-pool"]), ("ExplorerTestChild", ["semaphore-freed-as-it-began"]),
      ])
    func otherPrograms(program: String, arguments: [String]) throws {
      let child = try Self.run(arguments, program: program)
      #expect(!child.errors.contains("' is called under '"), "\(child.errors)")
      #expect(!child.errors.contains("' is taken under '"), "\(child.errors)")
      #expect(child.errors.contains("without a cycle"), "\(child.errors)")
    }
  }
}

#endif
