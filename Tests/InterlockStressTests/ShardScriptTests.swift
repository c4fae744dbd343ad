import Foundation
import ProcessInspection
import Testing

@testable import StressRunner

/// The examples for systems that spread work over machines, each with its command and index.
@Suite("The examples in ci/shards")
struct ShardScriptTests {
  private static let package = URL(fileURLWithPath: #filePath)
    .appendingPathComponent("../../..").standardized.path

  /// The executable that the tests were built with.
  private static let executable = {
    let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: own ?? "").deletingLastPathComponent()
      .appendingPathComponent("interlock").path
  }()

  private func run(_ words: [String], _ environment: [String: String] = [:]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = URL(fileURLWithPath: Self.package)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// The command of the Kubernetes job, as its container runs it.
  private func kubernetesCommand() throws -> String {
    let text = try String(
      contentsOfFile: Self.package + "/ci/shards/kubernetes.yml", encoding: .utf8)
    return try String(#require(text.firstMatch(of: /args: \['(.*)'\]/)).output.1)
  }

  @Test("The command of a Kubernetes pod, by its index, and then 'merge', answer as one run does")
  func kubernetes() throws {
    let records = NSTemporaryDirectory() + "interlock-shards-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: records) }
    let command = try kubernetesCommand()
      .replacing(".build/debug/interlock", with: Self.executable)
      .replacing("/records", with: records)
    for index in 0..<4 {
      // A restarted pod continues its record.
      for _ in 0..<2 {
        let selection = " concurrent-reads --subject mutex --subject semaphore-lock"
        let words = ["sh", "-c", command + selection]
        #expect(try run(words, ["JOB_COMPLETION_INDEX": "\(index)"]) == 0)
      }
    }
    #expect(try run([Self.executable, "merge", records]) == 0)
    try FileManager.default.removeItem(atPath: records + "/shard-2.jsonl")
    #expect(try run([Self.executable, "merge", records]) == 65)
  }

  @Test(
    "Shards of an exploration have parts of its orders, and 'merge' adds them up",
    .disabled(if: Platform.isUnderThreadSanitizer, "nothing is interposed, so nothing is explored"))
  func explored() throws {
    let exam = Self.executable + "-exam"
    let records = NSTemporaryDirectory() + "interlock-shards-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: records) }
    for index in 0..<3 {
      let words = [
        "ci/shards/shard.sh", exam, records, "\(index)", "3", "explore",
        "update-in-two-steps",
      ]
      // The second run continues the record of the first, and has nothing to explore.
      for _ in 0..<2 { #expect(try run(words) == 0) }
    }
    // At least one part has the bug, and the repaired program passes in every order.
    #expect(try run([exam, "merge", records, "--json", records + "/all"]) == 0)
    let alone = ["explore", "update-in-two-steps", "--json", records + "/alone"]
    #expect(try run([exam] + alone) == 0)
    func orders(_ name: String) throws -> [String] {
      try String(contentsOfFile: records + name, encoding: .utf8)
        .matches(of: /"state": "finished", *\n? *"orders": [0-9]+/).map { String($0.output) }
    }
    #expect(try !orders("/alone").isEmpty)
    #expect(try orders("/all") == orders("/alone"))
    try FileManager.default.removeItem(atPath: records + "/shard-1.jsonl")
    #expect(try run([exam, "merge", records]) == 65)
  }

  @Test("A task of a Slurm array, by its number, and then 'merge', answer as one run does")
  func slurm() throws {
    let records = NSTemporaryDirectory() + "interlock-shards-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: records) }
    for index in 0..<2 {
      let environment = [
        "SLURM_ARRAY_TASK_ID": "\(index)", "SLURM_ARRAY_TASK_COUNT": "2",
        "INTERLOCK": Self.executable, "RECORDS": records,
      ]
      let words = ["ci/shards/slurm.sh", "concurrent-reads", "--subject", "mutex"]
      #expect(try run(words, environment) == 0)
    }
    #expect(try run([Self.executable, "merge", records]) == 0)
  }
}
