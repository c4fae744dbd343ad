import Foundation
import SamplePrograms
import Testing
import WaitForGraph

@testable import StressRunner

@Suite("The small programs that hang, and those that only seem to")
struct HangScenariosTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .appending(path: "../../../Sources/InterlockExam/Scenarios").standardizedFileURL.path

  /// The scenarios of the folder, in the order of their names.
  private static func scenarios(_ platform: PlatformName = .linux) throws -> [Scenario] {
    try ScenarioFolder.load(folder, platform: platform)
      .filter { $0.path.hasPrefix(folder + "/hangs/") }.map(\.scenario)
  }

  private static func expectation(_ scenario: Scenario) -> StressRunner.Expectation {
    scenario.expectation(for: scenario.name)
  }

  @Test(
    "Each program that hangs, or seems to, has the scenario of its name, which runs only it, once")
  func onePerProgram() throws {
    let scenarios = try Self.scenarios()
    #expect(Set(hangPrograms.map(\.name)).count == hangPrograms.count)
    #expect(scenarios.map(\.name) == hangPrograms.map(\.name).sorted())
    for scenario in scenarios {
      #expect(scenario.subjects == [scenario.name])
      #expect(scenario.workload.operationCount == 1, "\(scenario.name)")
      #expect(scenario.workload.kinds == [.action("run")], "\(scenario.name)")
    }
  }

  @Test(
    "At least 25 programs hang, of every known cause, and at least 10 pass, on every platform")
  func counts() throws {
    for platform in PlatformName.allCases {
      let expected = try Self.scenarios(platform).map(Self.expectation)
      let hanging = expected.filter { $0.verdict == .deadlock || $0.verdict == .crashed }
      let passing = expected.filter { $0.verdict == .passed }
      #expect(hanging.count >= 25)
      #expect(passing.count >= 10)
      #expect(hanging.count + passing.count == expected.count)
      let causes = Set(hanging.compactMap(\.cause))
      #expect(causes == Set(Diagnosis.Cause.allCases).subtracting([.unknown]))
    }
  }

  @Test("The hangs' README has a line for each program, with the expected verdict and cause")
  func table() throws {
    let text = try String(contentsOfFile: Self.folder + "/hangs/README.md", encoding: .utf8)
    let lines = text.split(separator: "\n")
    for scenario in try Self.scenarios() {
      let rows = lines.filter { $0.hasPrefix("| `\(scenario.name)` |") }
      #expect(rows.count == 1, "\(scenario.name)")
      let cause = rows.first?.split(separator: "|").dropFirst(3).first ?? ""
      let expected = Self.expectation(scenario)
      #expect(cause.contains("`crashed`") == (expected.verdict == .crashed), "\(scenario.name)")
      #expect(cause.isEmpty == (expected.verdict == .passed), "\(scenario.name)")
      if let reason = expected.cause {
        #expect(cause.contains("`\(reason.rawValue)`"), "\(scenario.name)")
      }
    }
    let rows = lines.filter { $0.hasPrefix("| `") }
    #expect(rows.count == hangPrograms.count)
  }
}
