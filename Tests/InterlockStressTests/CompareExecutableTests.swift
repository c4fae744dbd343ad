import Foundation
import Findings
import ProcessInspection
import StressRunner
import Testing
import TestSupport

/// Runs the real command on intentionally faulty strategies and caches, and interrupts it.
@Suite(
  "The real 'compare'", .serialized, .offThePool,
  .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/exe")))
struct CompareExecutableTests {
  private static let small = small(threads: "2,8")

  private static func small(threads: String) -> [String] {
    [
      "compare", "--allow-debug", "--threads", threads, "--reads", "50", "--keys", "1",
      "--distribution", "uniform",
    ]
  }

  private func start(_ arguments: [String]) throws -> (Foundation.Process, Pipe) {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Foundation.Process()
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("interlock")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    return (process, output)
  }

  private func text(_ process: Foundation.Process, _ output: Pipe) -> String {
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  @Test("The real 'compare' has no rank for a table without a lock, in which two callers race")
  func noLock() throws {
    let (process, output) = try start(
      Self.small + [
        "--section", "1us", "--subject", "no-lock", "--subject", "nslock", "--time", "2",
      ])
    let text = text(process, output)
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains("✗ no-lock  race, no rank: "))
    #expect(text.contains("1  nslock"))
    #expect(!text.contains("no-lock  ") || !text.contains("2  no-lock"))
  }

  @Test(
    "The real 'compare' has no rank for caches that deadlock, trap or race, and names each verdict",
    .disabled(if: Platform.isUnderThreadSanitizer, "in a child, a trap comes as another signal"))
  func wrongCaches() throws {
    // These caches need more threads than a pool on Apple's systems may have; with fewer callers
    // they are only slow.
    let (process, output) = try start(
      Self.small(threads: "100") + [
        "--driver", "dispatch-queue", "--subject", "semaphore-over-async", "--subject",
        "serial-queue-reentrant", "--subject", "unlocked", "--subject", "nslock", "--time", "3",
      ])
    let text = text(process, output)
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains("✗ semaphore-over-async  deadlock (starvation), no rank: "))
    #expect(text.contains("✗ serial-queue-reentrant  crashed"))
    #expect(text.contains("✗ unlocked  race, no rank: "))
    #expect(text.contains("1  nslock"))
  }

  @Test("The real 'compare' prints the results so far when it is interrupted, and ends with 130")
  func interrupted() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("compare-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let (process, output) = try start(
      Self.small + [
        "--subject", "nslock", "--driver", "threads", "--section", "0", "--json", file.path,
      ]
        + ["--time", "3600"])
    // Two lines come first; the pass and the measuring follow.
    var seen = Data()
    while seen.count(where: { $0 == UInt8(ascii: "\n") }) < 2 {
      seen.append(output.fileHandleForReading.availableData)
    }
    // Into a pipe, `compare` prints nothing while it measures, but its threads show that it runs.
    while try threads(of: process) < 3 { Thread.sleep(forTimeInterval: 0.01) }
    process.interrupt()
    let text = text(process, output)
    #expect(process.terminationStatus == 130)
    #expect(text.contains("interrupted after "))
    let value = try JSONReader.read([UInt8](Data(contentsOf: file)))
    guard case .object(let members) = value.content else {
      Issue.record("no document")
      return
    }
    #expect(members.contains { $0.key == "cells" })
  }

  private func threads(of process: Foundation.Process) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/task")
      .count
  }
}
