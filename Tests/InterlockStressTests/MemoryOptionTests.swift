import Foundation
import MemoryCheck
import ProcessInspection
import StressRunner
import TestSupport
import Testing

@testable import InterlockStress

@Suite("How 'run' checks memory")
struct MemoryOptionTests {
  /// A world with a subject that is compiled for the check in every build, beside one that is not.
  private func world(_ support: MemoryCheck.Support) throws -> TestWorld {
    let test = try TestWorld()
    test.memory = support
    var entry = SubjectEntry(name: "checked", summary: "is checked") { IdleSubject() }
    entry.isInstrumented = true
    test.moreSubjects = [entry]
    return test
  }

  @Test("Trials whose code is compiled for the check of memory run it, unless an option forbids it")
  func defaults() throws {
    func checks(_ support: MemoryCheck.Support, _ arguments: String...) throws -> [Bool] {
      let test = try world(support)
      let names = ["--subject", "good", "--subject", "checked"]
      #expect(test.run(["writes"] + names + arguments) == .met)
      return test.trials.map(\.checksMemory)
    }
    #expect(try checks(.partial) == [false, true])
    #expect(try checks(.everywhere) == [true, true])
    #expect(try checks(.everywhere, "--memory", "off") == [false, false])
    #expect(try checks(.everywhere, "--memory", "on") == [true, true])
  }

  @Test(
    "'--memory' is a mistake if no code is compiled for it, and one line says how to build",
    arguments: [MemoryCheck.Support.partial, .unavailable(reason: "ThreadSanitizer is built in")])
  func mistake(_ support: MemoryCheck.Support) throws {
    let test = try world(support)
    #expect(test.run("writes", "--subject", "good", "--memory", "on") == .usage)
    #expect(
      test.errors.text.hasPrefix(
        "error: The option '--memory on' needs 'good' compiled for it, as in 'swift run -Xswiftc"
          + " -Xfrontend -Xswiftc -sanitize=thread interlock run … --memory on'"))
    #expect(test.errors.text.split(separator: "\n").count == 1)
    #expect(test.trials.isEmpty)
  }

  @Test("A program whose only fault is a race in memory is skipped in a build without the check")
  func skipped() throws {
    let test = try world(.unavailable(reason: "ThreadSanitizer is built in"))
    #expect(test.run("writes", "--subject", "checked", "--subject", "good") == .met)
    #expect(test.trials.map(\.subject) == ["good"])
    #expect(
      test.output.text.contains(
        "needs the check of memory, which this build does not have: ThreadSanitizer is built in"))
  }

  @Test("A race in memory needs no section tracking to be judged")
  func withoutSections() throws {
    let test = try world(.everywhere)
    test.tracksSections = false
    #expect(test.run("reads", "--subject", "bad") == .met)
    #expect(test.trials.count == 1)
  }

  @Test("The replay line has the check of memory, whether an option or the build requested it")
  func replay() throws {
    let test = try world(.everywhere)
    test.verdict = { _ in .any(.crashed) }
    #expect(test.run("writes", "--subject", "good") == .unmet)
    #expect(test.output.text.contains(" --memory on\n"))
    let off = try world(.everywhere)
    off.verdict = { _ in .any(.crashed) }
    #expect(off.run("writes", "--subject", "good", "--memory", "off") == .unmet)
    #expect(off.output.text.contains(" --memory off"))
    #expect(!off.output.text.contains(" --memory on"))
  }

  private func interlock(_ arguments: [String]) throws -> (status: Int32, text: String) {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("interlock-exam")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test(
    "The command finds races in memory when it explores, also with a process for each order",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/exe")),
    .disabled(if: Platform.isUnderThreadSanitizer, "nothing is interposed, so nothing is checked"),
    arguments: [[], ["--isolate"]])
  func explored(_ isolation: [String]) throws {
    let programs = ["parent-and-child", "c-function"]
    let options = ["--budget", "30"] + isolation
    let explored = try interlock(["explore"] + programs + options)
    #expect(explored.status == 0, "\(explored.text)")
    #expect(explored.text.contains("4 met, 0 unmet, 0 skipped"), "\(explored.text)")
    let off = try interlock(["explore", programs[0], "--memory", "off"] + options)
    #expect(off.text.contains("passed, expected race"), "\(off.text)")
  }

  @Test(
    "The command finds races in memory in small programs, and none in their twins",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/exe")),
    .disabled(if: Platform.isUnderThreadSanitizer, "nothing is interposed, so nothing is checked"))
  func found() throws {
    let programs = ["dictionary-set", "lock-on-one-side", "parent-and-child", "c-function"]
    let run = try interlock(["run"] + programs)
    #expect(run.status == 0, "\(run.text)")
    #expect(run.text.contains("8 met, 0 unmet, 0 skipped"), "\(run.text)")
    let shown = try interlock(["run", "dictionary-set", "-v"])
    #expect(shown.text.contains("nothing orders the"), "\(shown.text)")
    let off = try interlock(["run", "dictionary-set", "--memory", "off"])
    #expect(off.status == 1, "\(off.text)")
    #expect(off.text.contains("--memory off"))
  }
}
