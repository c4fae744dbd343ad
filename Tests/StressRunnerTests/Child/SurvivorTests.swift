import Foundation
import Interlock
import Testing

@testable import StressRunner

/// Subjects that start processes in new sessions, which survive the kill of a process group.
@Suite("Processes that a trial has started in another session")
struct SurvivorTests {
  /// A number that occurs in no other process's command line.
  private static func makeSeconds(_ digit: Int) -> String { "97\(getpid())\(digit)" }

  /// The processes that sleep for this number of seconds.
  private static func sleepers(_ seconds: String) -> [Int] {
    commandLines().filter { $0.value.contains("sleep \(seconds)") }.map(\.key)
  }

  /// Returns the sleeping processes and kills them: even a failing test must leave none.
  private static func survivors(_ seconds: String) -> [Int] {
    let found = sleepers(seconds)
    for process in found { kill(pid_t(process), SIGKILL) }
    return found
  }

  @Test(
    "A process in another session ends with its trial, however the trial ends",
    arguments: [
      ("sessions", Verdict.Kind.passed), ("trap-sessions", .crashed), ("hold-sessions", .deadlock),
    ])
  func ends(subject: String, verdict: Verdict.Kind) throws {
    let seconds = Self.makeSeconds(verdict.rawValue.utf8.count)
    let (results, _) = run(
      [makeTrial(subject, makeScenario(callers: 1, stall: 1))], jobs: 1,
      environment: ["GRANDCHILD_SECONDS": seconds])
    let result = try #require(results[subject])
    #expect(result.verdict.kind == verdict, "\(result.verdict)")
    #expect(Self.survivors(seconds).isEmpty)
  }

  @Test("A process in another session ends with a trial whose subject runs trials itself")
  func nested() throws {
    let seconds = Self.makeSeconds(1)
    let (results, _) = run(
      [makeTrial("nested-runner", makeScenario(callers: 1))], jobs: 1,
      environment: ["GRANDCHILD_SECONDS": seconds])
    let result = try #require(results["nested-runner"])
    #expect(result.verdict.kind == .passed, "\(result.verdict)")
    #expect(Self.survivors(seconds).isEmpty)
  }

  @Test("A process in another session ends with an interrupted run")
  func interrupted() throws {
    let seconds = Self.makeSeconds(2)
    let started = try RunnerProcessTests.Started(
      "hold-sessions", environment: ["GRANDCHILD_SECONDS": seconds])
    while Self.sleepers(seconds).count < 2 && started.process.isRunning { sched_yield() }
    #expect(started.process.isRunning)
    kill(started.process.processIdentifier, SIGINT)
    // Foundation would wait for the last descendant of the process; the system does not.
    var information = siginfo_t()
    let identifier = id_t(started.process.processIdentifier)
    while waitid(P_PID, identifier, &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
    let survivors = Self.survivors(seconds)
    #expect(survivors.isEmpty)
    started.process.waitUntilExit()
    #expect(started.process.terminationStatus == 130)
    #expect(try started.leftovers().isEmpty)
  }

  @Test("A trial's end leaves other children of the same program running")
  func bystanders() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sleep")
    process.arguments = ["1000"]
    try process.run()
    defer {
      // SIGTERM would be blocked in a child of a Dispatch worker.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // POSIX_SPAWN_SETSID, which Swift does not import.
    posix_spawnattr_setflags(&attributes, 0x80)
    var own: pid_t = 0
    var arguments = [strdup("sleep"), strdup("1000"), nil]
    defer { arguments.forEach { free($0) } }
    try #require(posix_spawn(&own, "/bin/sleep", nil, &attributes, &arguments, nil) == 0)
    #expect(getsid(own) == own)

    let seconds = Self.makeSeconds(3)
    let (results, _) = run(
      [makeTrial("sessions", makeScenario(callers: 1))], jobs: 1,
      environment: ["GRANDCHILD_SECONDS": seconds])
    #expect(results["sessions"]?.verdict.kind == .passed)
    #expect(Self.survivors(seconds).isEmpty)
    #expect(process.isRunning)
    var status: Int32 = 0
    #expect(waitpid(own, &status, WNOHANG) == 0, "it has ended")
    kill(own, SIGKILL)
    waitpid(own, &status, 0)
  }
}

@Suite("The mark of a trial's child")
struct ChildMarkTests {
  private let unlimited = UInt64.max

  @Test("The mark of a trial's child is unique, and limits nothing")
  func unique() throws {
    let marks = try (0..<1000).map { _ in try #require(ChildMark(below: unlimited)) }
    #expect(Set(marks).count == 1000)
    #expect(marks.allSatisfy { $0.value >= 1 << 62 && $0.value < 1 << 63 })
    for mark in marks.prefix(20) {
      #expect(marks.filter { $0.covers(mark.value) } == [mark])
    }
  }

  @Test("The mark of an outer trial recognises the mark of an inner trial, and not the reverse")
  func nested() throws {
    let outer = try #require(ChildMark(below: unlimited))
    let other = try #require(ChildMark(below: unlimited))
    let inner = try (0..<1000).map { _ in try #require(ChildMark(below: outer.value)) }
    #expect(Set(inner).count == 1000)
    for mark in inner.prefix(20) {
      #expect(mark.value < outer.value)
      #expect(outer.covers(mark.value))
      #expect(!other.covers(mark.value))
      #expect(!mark.covers(outer.value))
      #expect(inner.filter { $0.covers(mark.value) } == [mark])
    }
  }

  @Test("No trial's mark exists at a third level, nor below a limit that another program has set")
  func none() throws {
    let outer = try #require(ChildMark(below: unlimited))
    let inner = try #require(ChildMark(below: outer.value))
    #expect(ChildMark(below: inner.value) == nil)
    #expect(ChildMark(below: 200_000) == nil)
    #expect(ChildMark(below: 0) == nil)
  }

  @Test("A trial's mark covers no process without a mark")
  func bystander() throws {
    let outer = try #require(ChildMark(below: unlimited))
    let inner = try #require(ChildMark(below: outer.value))
    for limit in [unlimited, 0, 200_000] {
      #expect(!outer.covers(limit))
      #expect(!inner.covers(limit))
    }
  }
}
