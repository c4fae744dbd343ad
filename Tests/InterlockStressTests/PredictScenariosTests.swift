import Foundation
import PredictPrograms
import Prediction
import Testing

@testable import StressRunner
import ProcessInspection

@Suite("The small programs with predicted faults, and their twins")
struct PredictScenariosTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .appending(path: "../../../Sources/InterlockExam/Scenarios").standardizedFileURL.path

  /// The folder's scenarios for one of these programs, in the order of their names.
  private static func scenarios() throws -> [Scenario] {
    let names = Set(predictPrograms.map(\.name))
    return try ScenarioFolder.load(folder, platform: .linux)
      .filter { $0.path.hasPrefix(folder + "/predict/") }.map(\.scenario)
      .filter { names.contains($0.name) }
  }

  private static func expected(_ scenario: Scenario) -> Set<PotentialFinding.Kind>? {
    scenario.expectation(for: scenario.name).potential
  }

  @Test(
    "Each predicted program has the scenario of its name, which runs it once, with expectations")
  func onePerProgram() throws {
    let scenarios = try Self.scenarios()
    #expect(Set(predictPrograms.map(\.name)).count == predictPrograms.count)
    #expect(scenarios.map(\.name).sorted() == predictPrograms.map(\.name).sorted())
    for scenario in scenarios {
      #expect(scenario.subjects == [scenario.name])
      #expect(scenario.workload.operationCount == 1, "\(scenario.name)")
      #expect(scenario.expectation(for: scenario.name).verdict == .passed)
      #expect(Self.expected(scenario) != nil, "\(scenario.name)")
    }
  }

  @Test(
    "The programs are 24 or more, with every kind of fault, and as many without a fault"
  )
  func counts() throws {
    let expected = try Self.scenarios().compactMap(Self.expected)
    let wrong = expected.filter { !$0.isEmpty }
    #expect(expected.count >= 24)
    #expect(expected.count - wrong.count >= wrong.count)
    let kinds = wrong.reduce(into: Set()) { $0.formUnion($1) }
    #expect(
      kinds.isSuperset(of: [
        .lockOrder, .blockingWaitInTask, .lockAcrossAwait, .callbackUnderLock,
      ]))
  }

  @Test("The predictions' README has a line for each program, with the expected findings")
  func table() throws {
    let text = try String(contentsOfFile: Self.folder + "/predict/README.md", encoding: .utf8)
    let lines = text.split(separator: "\n")
    for scenario in try Self.scenarios() {
      let rows = lines.filter { $0.hasPrefix("| `\(scenario.name)` |") }
      #expect(rows.count == 1, "\(scenario.name)")
      let columns = rows.first?.split(separator: "|") ?? []
      let kinds = (Self.expected(scenario) ?? []).map(\.rawValue).sorted()
      #expect(columns.count == (kinds.isEmpty ? 2 : 3), "\(scenario.name)")
      for kind in kinds { #expect(columns.last?.contains("`\(kind)`") ?? false) }
    }
  }

  /// The first two programs of each set of expected findings. The project's gate runs them all.
  private static func samples() throws -> [String] {
    let programs = Set((predictPrograms + racePrograms).map(\.name))
    let scenarios = try ScenarioFolder.load(folder, platform: .linux).map(\.scenario)
      .filter { programs.contains($0.name) }
    return Dictionary(grouping: scenarios, by: expected).values.flatMap { $0.prefix(2) }
      .map(\.name).sorted()
  }

  @Test(
    "The command finds the expected findings in programs of each kind, and no others",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/exe")),
    .disabled(if: Platform.isUnderThreadSanitizer, "nothing is interposed, so prediction is off"))
  func found() throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("interlock-exam")
    process.arguments =
      try ["run", "--family", "Predict", "--scenarios", Self.folder] + Self.samples()
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(String(decoding: text, as: UTF8.self))")
    // Prediction was on: without it, expectations are not judged.
    #expect(!String(decoding: text, as: UTF8.self).contains("no prediction:"))
  }
}
