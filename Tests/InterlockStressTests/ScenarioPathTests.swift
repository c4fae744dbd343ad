import Foundation
import StressRunner
import Testing

@testable import InterlockStress

@Suite("Scenarios by path")
struct ScenarioPathTests {
  private func makeWorld() throws -> TestWorld {
    let test = try TestWorld()
    try FileManager.default.createDirectory(
      atPath: test.folder + "/more/deep", withIntermediateDirectories: true)
    for name in ["one", "deep/two"] {
      let last = name.split(separator: "/").last ?? ""
      try test.write(
        """
        { "name": "\(last)", "summary": "one more", "source": "a test",
          "workload": { "driver": "tasks",
                        "phases": [{ "callers": 2, "operations": ["get"] }] } }
        """, "../more/\(name).json")
    }
    return test
  }

  private func names(_ test: TestWorld) -> [String] {
    var seen: Set<String> = []
    return test.trials.map(\.scenario.name).filter { seen.insert($0).inserted }
  }

  @Test("Files and folders of scenarios work beside names, in the order of arguments, names first")
  func beside() throws {
    let test = try makeWorld()
    #expect(test.run("run", test.folder + "/more", "writes") == .met)
    #expect(names(test) == ["writes", "one", "two"])
    #expect(test.run("run", test.folder + "/more/deep/two.json") == .met)
    #expect(names(test) == ["two"])
    #expect(test.run(test.folder + "/StressScenarios/reads.json", "--subject", "good") == .met)
    #expect(names(test) == ["reads"])
  }

  @Test("A file that is named in several ways is one scenario; two files of one name are an error")
  func twice() throws {
    let test = try makeWorld()
    let file = test.folder + "/StressScenarios/reads.json"
    #expect(
      test.run("run", "reads", file, test.folder + "/more/../StressScenarios/reads.json") == .met)
    #expect(names(test) == ["reads"])
    #expect(test.trials.count == 3)
    try test.write(test.read("StressScenarios/reads.json"), "../more/copy.json")
    #expect(test.run("run", "reads", test.folder + "/more/copy.json") == .badScenario)
    #expect(
      test.errors.text.contains(
        "more/copy.json:1: the name 'reads' is taken by \(test.folder)/StressScenarios/reads.json:1"
      ))
    #expect(test.run("run", test.folder + "/more/copy.json") == .met)
  }

  @Test("A scenario's path needs no folder of scenarios, and its errors are reported as usual")
  func wrong() throws {
    let test = try makeWorld()
    let path = test.folder + "/more/one.json"
    try FileManager.default.removeItem(atPath: test.folder + "/StressScenarios")
    #expect(test.run("run", path) == .met)
    #expect(test.run("run", test.folder + "/more/non.json") == .badScenario)
    #expect(
      test.errors.text
        == "error: \(test.folder)/more/non.json: is not there, expected a scenario or a folder of"
        + " scenarios\n")
    try "{".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(test.run("run", path) == .badScenario)
    #expect(test.errors.text.contains("\(path):1: "))
  }

  @Test("A path that is not UTF-8 is reported; a path with a replacement character works")
  func notUTF8() throws {
    let test = try makeWorld()
    // The argument `caf\xE9.json` as Swift decodes it.
    let path = String(decoding: Array((test.folder + "/more/caf").utf8) + [0xE9], as: UTF8.self)
    #expect(test.run("run", path + ".json") == .badScenario)
    #expect(
      test.errors.text
        == "error: \(path).json: has a name that is not UTF-8, expected one that is\n")
    try test.write(test.read("StressScenarios/reads.json"), "../more/caf\u{FFFD}.json")
    #expect(test.run("run", path + ".json") == .met)
  }

  @Test("The replay line of a scenario that a path named has its path")
  func replay() throws {
    let test = try makeWorld()
    test.verdict = { _ in .any(.crashed) }
    #expect(test.run("run", test.folder + "/more") == .unmet)
    #expect(
      test.output.text.contains(
        "  replay: interlock run \(test.folder)/more/deep/two.json --subject good --seed 1"))
  }

  @Test(
    "A word that names no scenario is a path if the path exists",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/exe")))
  func word() throws {
    let test = try makeWorld()
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("interlock")
    process.currentDirectoryURL = URL(fileURLWithPath: test.folder)
    process.arguments = ["run", "more", "--subject", "nslock", "--color", "never"]
    process.standardOutput = pipe
    process.standardError = pipe
    // The scenarios of this folder name subjects that the built-in executable lacks.
    try FileManager.default.removeItem(atPath: test.folder + "/StressScenarios")
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains("2 met, 0 unmet"), "\(text)")
  }
}
