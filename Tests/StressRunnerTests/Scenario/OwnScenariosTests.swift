import Foundation
import Testing
import Hangs

@testable import StressRunner

@Suite("The scenarios of this package")
struct OwnScenariosTests {
  private let folder = URL(fileURLWithPath: #filePath)
    .appending(path: "../../../../StressScenarios").standardizedFileURL.path

  @Test("The seven scenarios for every cache exist, and each file has its scenario's name")
  func names() throws {
    let files = try ScenarioFolder.load(folder)
    let forEveryCache = files.filter { $0.scenario.subjects == nil }
    #expect(
      forEveryCache.map(\.scenario.name) == [
        "add-get-remove", "concurrent-reads", "read-mostly", "reads-from-tasks",
        "reads-from-threads", "thousand-and-one-writes", "write-heavy",
      ])
    for file in files { #expect(file.path.hasSuffix("/\(file.scenario.name).json")) }
  }

  @Test("The article's scenario has 1,000 callers, one key and one get each, as in the article")
  func concurrentReads() throws {
    let files = try ScenarioFolder.load(folder)
    let reads = try #require(files.first { $0.scenario.name == "concurrent-reads" }).scenario
    #expect(reads.workload.driver == .dispatchQueue)
    #expect(reads.workload.operationCount == 1000)
    #expect(reads.workload.keys == 1)
    #expect(reads.workload.valueBytes == 65536)
    #expect(reads.workload.preparesAllKeys)
    #expect(
      reads.expectation(for: "semaphore-over-async")
        == StressRunner.Expectation(verdict: .deadlock, cause: .starvation))
    #expect(reads.expectation(for: "semaphore-lock") == StressRunner.Expectation(verdict: .passed))
  }

  @Test("The scenarios' README documents every key, operation, oracle and verdict")
  func documentation() throws {
    let text = try String(contentsOfFile: folder + "/README.md", encoding: .utf8)
    var words = ScenarioFile.keys + Limits.keys + ["callers", "rounds", "operations"]
    words.removeAll { $0 == "pool" }
    words += Script.jsonKeys + Script.callKeys + Recipe.keys
    words += [
      "driver", "seed", "keys.count", "keys.distribution", "valueBytes", "prepare", "phases",
      "script", "pool.width",
    ]
    words += Operation.Kind.allCases.map(\.rawValue) + Oracle.allCases.map(\.rawValue)
    words +=
      Workload.Driver.allCases.map(\.rawValue) + Workload.Distribution.allCases.map(\.rawValue)
    words += Diagnosis.Cause.allCases.map(\.rawValue)
    words += Verdict.Kind.allCases.map(\.rawValue)
    for word in words { #expect(text.contains("`\(word)`"), "\(word) is not documented") }
  }

  @Test("The example in the scenarios' README is valid")
  func example() throws {
    let text = try String(contentsOfFile: folder + "/README.md", encoding: .utf8)
    let start = try #require(text.firstRange(of: "```json\n{")?.lowerBound)
    let example = text[start...].dropFirst(8).prefix { $0 != "`" }
    _ = try ScenarioFile(parsing: Array(example.utf8), path: "README.md")
  }
}
