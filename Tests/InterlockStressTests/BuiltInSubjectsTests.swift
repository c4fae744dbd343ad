import Foundation
import Testing

@testable import StressRunner
import ProcessInspection
import Hangs

/// Runs the real command on the real caches, as a user does.
struct BuiltInSubjectsTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private struct Report: Decodable {
    struct Side: Decodable {
      var mode: String
      var synched: Bool
      var file: String
      var line: Int
      var thread: String
      var stack: [Frame]
    }
    struct Frame: Decodable {
      var function: String?
      var file: String?
    }
    struct Conflict: Decodable {
      var resource: String
      var first: Side
      var second: Side
    }
    struct Thread: Decodable {
      var count: Int
      var stack: [Frame]
    }
    struct Result: Decodable {
      var subject: String
      var verdict: String
      var cause: String?
      var met: Bool?
      var completed: Int
      var detectionSeconds: Double?
      var message: String
      var conflicts: [Conflict]
      var threads: [Thread]
    }
    var results: [Result]
  }

  @Test(
    "Each strategy gets its expected verdict in the 1,000 reads, and the report names the reason",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/exe")),
    .disabled(if: Platform.isUnderThreadSanitizer, "in a child, a trap comes as another signal"))
  func concurrentReads() throws {
    let report = try run(
      "concurrent-reads",
      [
        "semaphore-lock", "mutex", "serial-queue-sync", "semaphore-over-async", "unlocked",
        "serial-queue-reentrant", "task-semaphore", "actor",
      ])
    let results = Dictionary(uniqueKeysWithValues: report.results.map { ($0.subject, $0) })
    #expect(results.count == 8)
    for result in report.results { #expect(result.met == true, "\(result)") }
    for name in ["semaphore-lock", "mutex", "actor"] {
      #expect(results[name]?.verdict == "passed")
      #expect(results[name]?.completed == 1000)
    }
    for name in ["serial-queue-sync", "semaphore-over-async", "task-semaphore"] {
      let result = try #require(results[name])
      #expect(result.verdict == "deadlock")
      #expect(result.cause == "starvation")
      #expect(result.completed < 1000)
      let waiting = result.threads.filter { thread in
        thread.stack.contains { $0.file?.contains("/Sources/Caches/") == true }
      }
      #expect(waiting.reduce(0) { $0 + $1.count } > 1, "stacks name the cache's own line")
    }
    let reentrant = try #require(results["serial-queue-reentrant"])
    #expect(reentrant.verdict == "crashed")
    #expect(reentrant.cause == "self")
    #expect(reentrant.message.contains("ReentrantSerialQueueCache.swift:"))

    let conflict = try #require(results["unlocked"]?.conflicts.first)
    #expect(conflict.resource.hasPrefix("cache.entries"))
    #expect(conflict.first.file == "Caches/Storage.swift")
    #expect(conflict.second.file == "Caches/Storage.swift")
    #expect([conflict.first.mode, conflict.second.mode].contains("noReadWrite"))
    for side in [conflict.first, conflict.second] {
      #expect(side.stack.contains { $0.function?.contains("LockedCache.value") == true })
    }
  }

  /// The real command, next to the test bundle.
  private static var executable: URL {
    get throws {
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(fileURLWithPath: own).deletingLastPathComponent()
        .appendingPathComponent("interlock")
    }
  }

  private func run(_ scenario: String, _ subjects: [String]) throws -> Report {
    let process = Foundation.Process()
    process.executableURL = try Self.executable
    process.currentDirectoryURL = Self.root
    process.arguments =
      ["run", scenario, "--json", "-"] + subjects.flatMap { ["--subject", $0] }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let json = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return try JSONDecoder().decode(Report.self, from: json)
  }
}
