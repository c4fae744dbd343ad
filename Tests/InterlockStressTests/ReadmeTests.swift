import Foundation
import StressRunner
import Testing
import Hangs

@testable import InterlockStress
@testable import InterlockTool

/// The figures and tables of the README that the program can derive.
struct ReadmeTablesTests {
  private let readme: String
  private let scenario: Scenario

  init() throws {
    readme = try String(
      contentsOf: BuiltInScenariosTests.root.appending(path: "README.md"), encoding: .utf8)
    let bytes = try #require(World.builtInTexts.first { $0.name == "concurrent-reads" }?.bytes)
    scenario = try ScenarioFile(parsing: bytes, path: "concurrent-reads").scenario
  }

  @Test("the README begins with the marks, the four caches with their verdicts, and three commands")
  func firstScreen() throws {
    let lines = readme.split(separator: "\n", omittingEmptySubsequences: false)
    func number(of text: String) throws -> Int {
      try #require(lines.firstIndex { $0.contains(text) }, "\(text)")
    }
    #expect(try number(of: "BEGIN_LOCK(.noReadWrite") < 20)
    for entry in SubjectEntry.builtIn {
      let expected = scenario.expectation(for: entry.name)
      let verdict = expected.verdict.rawValue + (expected.cause.map { " (\($0.rawValue))" } ?? "")
      let row = try number(of: "| `\(entry.name)` |")
      #expect(lines[row].hasSuffix("| \(verdict) |"))
      let output = try #require(lines.first { $0.hasPrefix("  \(entry.name) ") })
      let cells = output.split(separator: "  ", omittingEmptySubsequences: true).dropFirst()
      #expect(cells.count == 3)
      for cell in cells {
        #expect(cell.trimmingCharacters(in: .whitespaces).hasPrefix(expected.verdict.rawValue))
      }
    }
    for command in [CommandName.deadlocks, .compare, .gate] {
      #expect(try number(of: "`swift run interlock \(command.rawValue)`") < 85)
    }
    #expect(try number(of: "(#my-tests-hang)") < 10)
    // The last line is empty, because the text ends with a line break.
    #expect(lines.count - 1 <= 200)
  }

  @Test("the README's number of scenarios is the number of scenarios that the main job replays")
  func scenarios() {
    let words = [7: "seven", 8: "eight", 9: "nine", 10: "ten"]
    let count = World.builtInTexts.count
    let number = words[count] ?? "\(count)"
    let subjects = builtInSubjects.count
    #expect(
      readme.contains(
        "replays the \(number) scenarios of `StressScenarios/caches` on \(subjects) caches"))
  }

  @Test("the README's picture has the scenario's numbers, with one thread more than callers")
  func picture() throws {
    let callers = try #require(scenario.workload.phases.first?.callers)
    let ahead = callers - DeadlocksCommand.appleLimit
    #expect(readme.contains("  \(ahead) blocks are ahead of them\n"))
    #expect(
      readme.contains(
        "frees it from here: \((callers + 1).formatted()) threads,"
          + " because \(ahead) blocks that wait too"
      ))
  }

  @Test("the article on the built-in subjects has the number of trials, and each verdict")
  func article() throws {
    let text = try String(
      contentsOf: BuiltInScenariosTests.root.appending(
        path: "Sources/InterlockStress/InterlockStress.docc/BuiltInSubjects.md"),
      encoding: .utf8)
    let scenarios = try World.builtInTexts.map {
      try ScenarioFile(parsing: $0.bytes, path: $0.name).scenario
    }
    let plan = try RunPlan(
      scenarios, options: Options(), subjects: builtInSubjects, currentFolder: "/")
    #expect(text.contains("✓ \(plan.trials.count) trials: \(plan.trials.count) met, 0 unmet"))
    let names = scenarios.map(\.name).sorted()
    for row in text.split(separator: "\n") where row.components(separatedBy: "✓ ").count > 2 {
      let cells = row.split(separator: "✓").map { $0.trimmingCharacters(in: .whitespaces) }
      let subject = cells[0]
      #expect(cells.count == names.count + 1, "\(row)")
      for (name, verdict) in zip(names, cells.dropFirst()) {
        let expected = scenarios.first { $0.name == name }?.expectation(for: subject)
        #expect(expected?.verdict.rawValue == verdict, "\(subject) in \(name)")
      }
    }
  }

  @Test("the article on claims names scenarios and subjects that exist, with their verdicts")
  func claims() throws {
    let text = try String(
      contentsOf: BuiltInScenariosTests.root.appending(
        path: "Sources/InterlockStress/InterlockStress.docc/ClaimsAndMeasurements.md"),
      encoding: .utf8)
    let known = Set(builtInSubjects.map(\.name)).union(["NAME"])
    for subject in text.matches(of: /--(?:subject|reference) ([\w-]+)/) {
      #expect(known.contains(String(subject.1)), "\(subject.0)")
    }
    let shown = Set(text.matches(of: /interlock (?:run|pool) ([\w-]+)/).map { String($0.1) })
    #expect(shown == [scenario.name])
    let bugs = BuiltInScenariosTests.root.appending(path: "StressScenarios/KnownBugs/Scenarios")
    let files =
      FileManager.default.enumerator(atPath: bugs.path)?.compactMap { $0 as? String } ?? []
    for name in text.matches(of: /known-bugs run ([\w-]+)/) {
      #expect(files.contains { $0.hasSuffix("/\(name.1).json") }, "\(name.1)")
    }
    for subject in ["serial-queue-sync", "semaphore-over-async"] {
      #expect(scenario.expectation(for: subject).verdict == .deadlock)
    }
    #expect(scenario.expectation(for: "serial-queue-reentrant").verdict == .crashed)
    for subject in ["serial-queue", "semaphore-over-async-serial", "semaphore-lock", "mutex"] {
      #expect(scenario.expectation(for: subject).verdict == .passed)
    }
    // One thread for each reader that may wait, and one for a block that all of them wait for.
    let callers = try #require(scenario.workload.phases.first?.callers)
    #expect(
      text.contains("| `serial-queue-sync` | \(callers.formatted()) threads | \(callers - 1) "))
    #expect(
      text.contains(
        "| `semaphore-over-async` | \((callers + 1).formatted()) threads | each of"
          + " \(callers.formatted()) readers"))
  }

  @Test(
    "the workflows in ci are the workflows that 'init' writes, except for their first lines",
    arguments: [InitOptions.Service.github, .gitlab])
  func workflows(_ service: InitOptions.Service) throws {
    let file = try #require(
      WorkflowFile(service, folder: "", fetch: .repository, executable: "MyStress"))
    let shown = try String(
      contentsOf: BuiltInScenariosTests.root.appending(path: "ci/\(service.rawValue).yml"),
      encoding: .utf8)
    func body(_ text: String) -> [Substring] {
      text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
    #expect(body(shown) == body(file.text))
  }

  @Test("a package can depend on this one by URL: the tools version allows its unsafe flags")
  func toolsVersion() throws {
    let manifest = try String(
      contentsOf: BuiltInScenariosTests.root.appending(path: "Package.swift"), encoding: .utf8)
    let version = try #require(manifest.firstMatch(of: /^\/\/ swift-tools-version: (\d+)\.(\d+)/))
    // SwiftPM refuses unsafe flags in a dependency with an older tools version.
    let (major, minor) = (try #require(Int(version.1)), try #require(Int(version.2)))
    #expect(manifest.contains(".unsafeFlags(") && (major, minor) >= (6, 2))
  }
}
