import Foundation
import Interlock
import Testing

import Reports
@testable import StressRunner
import ProcessInspection

/// A runner in a separate process, which starts itself as its child process.
@Suite("A runner")
struct RunnerProcessTests {
  /// A started runner with a separate folder for temporary files.
  struct Started {
    let process = Process()
    let output = Pipe()
    let errors = Pipe()
    let folder = NSTemporaryDirectory() + "/runner-\(UUID().uuidString)"

    init(_ subject: String, environment: [String: String] = [:]) throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      process.executableURL = URL(fileURLWithPath: childExecutable)
      process.arguments = [subject]
      process.standardOutput = output
      process.standardError = errors
      process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder]) { $1 }
        .merging(environment) { $1 }
      try process.run()
    }

    /// Removes the runner's folder, and returns what was left in it.
    func leftovers() throws -> [String] {
      let left = try FileManager.default.contentsOfDirectory(atPath: folder)
      try FileManager.default.removeItem(atPath: folder)
      return left
    }

    /// The processes that the runner has started and that still exist.
    var children: [Int] {
      commandLines().keys.filter { number in
        let status = FileManager.default.contents(atPath: "/proc/\(number)/status") ?? Data()
        return String(decoding: status, as: UTF8.self)
          .contains("PPid:\t\(process.processIdentifier)\n")
      }
    }
  }

  @Test("A runner names functions and lines in the stacks of a hung child of its own executable")
  func stacks() throws {
    let started = try Started("semaphore-over-async")
    let json = started.output.fileHandleForReading.readDataToEndOfFile()
    started.process.waitUntilExit()
    let result = try JSONDecoder().decode(TrialResult.self, from: json)
    let most = try #require(result.observation.threads.first)
    #expect(most.count >= 3)
    #expect(most.state == "sleeping")
    let frame = try #require(
      most.stack.first { $0.function?.contains("waitForCallback") ?? false })
    #expect(frame.file?.hasSuffix("Subjects.swift") ?? false)
    #expect(frame.line != nil)
    #expect(!(most.stack.first?.function?.contains("capture") ?? true), "the handler's own frames")
    // A thread that has just begun may have a different stack below the same line.
    let waiting = result.observation.threads.filter {
      $0.stack.contains { $0.file == frame.file && $0.line == frame.line }
    }
    let count = waiting.reduce(0) { $0 + $1.count }
    #expect(
      result.message.contains("\(count) of them wait in waitForCallback(on:)"),
      "\(result.message)")
    #expect(try started.leftovers().isEmpty)
  }

  @Test("A runner distinguishes calls that were accepted and forgotten from a deadlock")
  func forgotten() throws {
    let started = try Started("forgetful")
    let json = started.output.fileHandleForReading.readDataToEndOfFile()
    started.process.waitUntilExit()
    let verdict = try JSONDecoder().decode(TrialResult.self, from: json).verdict
    guard case .violation(.lostCalls(100, _)) = verdict else {
      Issue.record("\(verdict)")
      return
    }
  }

  @Test(
    "An interrupted runner ends at once and leaves nothing behind",
    arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func interrupted(signal: Int32) throws {
    let started = try Started("spin")
    // The runner prints a line when its child has started.
    let word = started.errors.fileHandleForReading.availableData
    #expect(String(decoding: word, as: UTF8.self).hasPrefix("started"))
    var children: [Int] = []
    while children.isEmpty && started.process.isRunning { children = started.children }
    kill(started.process.processIdentifier, signal)
    started.process.waitUntilExit()
    #expect(started.process.terminationStatus == 130)
    #expect(children.allSatisfy { kill(pid_t($0), 0) != 0 })
    #expect(try started.leftovers().isEmpty)
  }

  @Test("A killed runner takes its child with it")
  func killed() throws {
    let started = try Started("spin")
    var children: [Int] = []
    while children.isEmpty && started.process.isRunning { children = started.children }
    // The child gets no signal at its parent's death until it has requested one.
    while let child = children.first, !isInTrial(child) { sched_yield() }
    kill(started.process.processIdentifier, SIGKILL)
    started.process.waitUntilExit()
    let deadline = Platform.now + 30
    while children.contains(where: isRunning), Platform.now < deadline { sched_yield() }
    #expect(!children.contains(where: isRunning))
    _ = try started.leftovers()
  }

  /// True if the process has reached its busy loop, in which it has a second thread.
  private func isInTrial(_ process: Int) -> Bool {
    (Platform.process(pid_t(process))?.threads ?? 2) > 1
  }

  private func isRunning(_ process: Int) -> Bool {
    // A dead process that no parent has reaped is not running.
    Platform.threads(of: pid_t(process)).contains { $0.state != .dead }
  }
}
