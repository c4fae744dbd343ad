import Foundation
import OrderPrograms
import Testing

@testable import StressRunner

@Suite("The small programs whose bugs need an order, and their twins")
struct OrderScenariosTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .appending(path: "../../../Sources/InterlockExam/Scenarios").standardizedFileURL.path

  @Test("Each program that needs an order has the scenario of its name, which only explores it")
  func onePerPair() throws {
    let scenarios = try ScenarioFolder.load(Self.folder, platform: .linux)
      .filter { $0.path.hasPrefix(Self.folder + "/explore/") }.map(\.scenario)
    let programs = orderPrograms.filter { !$0.isRepaired }
    #expect(scenarios.map(\.name).sorted() == programs.map(\.name).sorted())
    for scenario in scenarios {
      let program = try #require(programs.first { $0.name == scenario.name })
      #expect(scenario.subjects == [program.name, program.name + "-repaired"])
      #expect(scenario.isExploredOnly)
      #expect(scenario.workload.operationCount == 1, "\(scenario.name)")
      #expect(scenario.summary.lowercased() == program.summary.lowercased())
      #expect(scenario.source == program.source)
      #expect(scenario.exploreExpectation(for: program.name).verdict != .passed)
      let twin = scenario.exploreExpectation(for: program.name + "-repaired")
      #expect(twin.verdict == .passed && twin.isFinished, "\(scenario.name)")
    }
  }
}
