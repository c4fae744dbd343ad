import Foundation
import StressRunner
import Testing

@testable import InterlockStress

@Suite("The other commands")
struct OtherCommandTests {
  @Test("'list' names subjects, scenarios and benches with their summaries")
  func list() throws {
    let test = try TestWorld()
    test.benches = [BenchEntry(name: "sections", summary: "measures sections") {}]
    #expect(test.run("list") == .met)
    #expect(
      test.output.text == """
        SUBJECTS:
          good   is good
          bad    is bad
          mutex  is mutex

        SCENARIOS (\(test.folder)/StressScenarios):
          reads   reads a lot
          writes  writes a lot

        BENCHES:
          sections  measures sections

        """)
  }

  @Test("The folder of scenarios is found from below, up to the package's folder and no further")
  func folderAbove() throws {
    let test = try TestWorld()
    let below = test.folder + "/Sources/App"
    try FileManager.default.createDirectory(atPath: below, withIntermediateDirectories: true)
    var world = test.world
    world.currentFolder = below
    #expect(world.folder(Options()) == test.folder + "/StressScenarios")
    try "".write(toFile: test.folder + "/Sources/Package.swift", atomically: true, encoding: .utf8)
    #expect(world.folder(Options()) == "StressScenarios")
    world.scenarioFolder = "/elsewhere"
    #expect(world.folder(Options()) == "/elsewhere")
  }

  @Test("'bench' runs the named benches, or all; an unknown name is reported with the nearest")
  func bench() throws {
    final class Log: @unchecked Sendable {
      var names: [String] = []
    }
    let log = Log()
    let test = try TestWorld()
    #expect(test.world.perform(["bench"]) == .usage)
    test.benches = ["sections", "locks"].map { name in
      BenchEntry(name: name, summary: "s") { log.names.append(name) }
    }
    #expect(test.world.perform(["bench", "locks"]) == .met)
    #expect(test.world.perform(["bench"]) == .met)
    #expect(log.names == ["locks", "sections", "locks"])
    #expect(test.world.perform(["bench", "section"]) == .usage)
    #expect(test.errors.text.contains("There is no bench 'section': did you mean 'sections'?"))
  }

  @Test("--version and --help go to standard output")
  func answers() throws {
    let test = try TestWorld()
    #expect(test.world.perform(["--version"]) == .met)
    #expect(test.output.text == "interlock 0.1.0\n")
    #expect(test.world.perform(["run", "--help"]) == .met)
    #expect(test.output.text.contains("OVERVIEW: Replay scenarios"))
    #expect(test.errors.text == "")
  }

  @Test("the change log's first entry is the version that --version prints")
  func changeLog() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let first = text.split(separator: "\n").first { $0.hasPrefix("## ") }
    #expect(first == "## \(World.version)")
  }
}
