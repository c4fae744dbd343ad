import Foundation
import LockStrategies
import StressRunner
import Testing

@testable import Comparison
@testable import InterlockStress
@testable import InterlockTool

/// The scenarios and subjects that come with the product.
struct BuiltInScenariosTests {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A world with a custom cache, beside subjects that are no caches.
  private func worldWithCache() throws -> TestWorld {
    let test = try TestWorld()
    test.moreSubjects = [.lock("mine") { FoundationLock() }]
    return test
  }

  @Test("the product has each scenario of StressScenarios/caches")
  func embedded() throws {
    let folder = Self.root.appending(path: "StressScenarios/caches")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    #expect(World.builtInTexts.map(\.name) == names.sorted())
    for (name, bytes) in World.builtInTexts {
      #expect(try [UInt8](Data(contentsOf: folder.appending(path: name + ".json"))) == bytes)
    }
  }

  @Test("an executable with a cache runs the thousand reads by name, on its caches alone")
  func byName() throws {
    let test = try worldWithCache()
    #expect(test.ownWorld.perform(["concurrent-reads"]) == .met)
    #expect(test.trials.map(\.subject) == ["mine"])
    #expect(test.trials[0].scenario.workload.phases[0].callers == 1000)
    #expect(test.errors.text.isEmpty)
    #expect(test.ownWorld.perform(["concurrent-reads", "--subject", "good"]) == .met)
    #expect(test.trials.map(\.subject) == ["good"])
  }

  @Test(
    "names by which people know the thousand reads lead to the scenario",
    arguments: ["testDeadlocks", "1000-concurrent-reads", "thousand-reads"])
  func otherNames(_ name: String) throws {
    let test = try worldWithCache()
    #expect(test.ownWorld.perform(["run", name]) == .met)
    #expect(test.trials.map(\.scenario.name) == ["concurrent-reads"])
  }

  @Test("an executable without a cache has no built-in scenario")
  func withoutCache() throws {
    let test = try TestWorld()
    #expect(test.ownWorld.perform(["concurrent-reads"]) == .usage)
    #expect(test.errors.text.contains("There is no scenario 'concurrent-reads'"))
  }

  @Test("without a folder of scenarios the built-in ones run, and with a folder only the folder's")
  func withoutFolder() throws {
    let test = try worldWithCache()
    #expect(test.ownWorld.perform([]) == .met)
    #expect(Set(test.trials.map(\.scenario.name)) == ["reads", "writes"])
    try FileManager.default.removeItem(atPath: test.folder + "/StressScenarios")
    #expect(test.ownWorld.perform([]) == .met)
    #expect(test.trials.count == 7)
    #expect(Set(test.trials.map(\.subject)) == ["mine"])
  }

  @Test("an executable with its own scenarios replays them, and a folder only by the option")
  func ownScenarios() throws {
    let test = try worldWithCache()
    var world = test.ownWorld
    world.ownScenarios = try ["own", "other"].map { name in
      let text = try test.read("StressScenarios/reads.json")
        .replacing("\"reads\"", with: "\"\(name)\"")
      return try ScenarioFile(parsing: Array(text.utf8), path: name).scenario
    }
    #expect(world.perform([]) == .met)
    #expect(Set(test.trials.map(\.scenario.name)) == ["own", "other"])
    #expect(world.perform(["other"]) == .met)
    #expect(Set(test.trials.map(\.scenario.name)) == ["other"])
    #expect(world.perform(["reads"]) == .usage)
    #expect(world.perform(["reads", "--scenarios", test.folder + "/StressScenarios"]) == .met)
    #expect(Set(test.trials.map(\.scenario.name)) == ["reads"])
  }

  @Test("a file of the folder replaces the built-in scenario of its name")
  func replaced() throws {
    let test = try worldWithCache()
    let own = try test.read("StressScenarios/reads.json")
    try test.write(own.replacing("\"reads\"", with: "\"concurrent-reads\""), "own.json")
    #expect(test.run("concurrent-reads", "--subject", "mine") == .met)
    #expect(test.trials[0].scenario.workload.phases[0].callers == 2)
  }

  @Test(
    "an expectation of a subject that the executable lacks is a note, once",
    arguments: ["unlocked", "elsewhere", "mutant"])
  func absent(name: String) throws {
    let test = try TestWorld()
    let text = try test.read("StressScenarios/reads.json")
    try test.write(text.replacing("\"bad\"", with: "\"\(name)\""), "reads.json")
    #expect(test.run() == .met)
    #expect(
      test.errors.text == "note: the scenarios expect something of 1 subject that this executable"
        + " does not have: \(name)\n")
  }

  @Test("a mistyped subject in a scenario's expectations is a warning with the line")
  func mistyped() throws {
    let test = try TestWorld()
    let text = try test.read("StressScenarios/reads.json")
    try test.write(text.replacing("\"bad\"", with: "\"mutexx\""), "reads.json")
    #expect(test.run() == .met)
    #expect(
      test.errors.text
        == "warning: \(test.folder)/StressScenarios/reads.json:4: there is no subject"
        + " 'mutexx': did you mean 'mutex'?\n")
    // Both names are subjects, of two executables.
    try test.write(
      text.replacing("\"bad\"", with: "\"mutex\": \"passed\", \"mutexx\""), "reads.json")
    #expect(test.run() == .met)
    #expect(test.errors.text.components(separatedBy: "warning").count == 2)
  }

  @Test("the subjects of the tool are known by their names to other executables")
  func namesInTool() {
    #expect(SubjectEntry.namesInTool == Set(builtInSubjects.map(\.name)))
  }

  @Test(
    "a subject of the models of shipped caches leads to their command, others only in the tool",
    arguments: [("tmcache", true), ("PINCache", true), ("mine", false)])
  func shippedCaches(name: String, isModel: Bool) throws {
    for (subjects, isTold) in [(builtInSubjects, true), (SubjectEntry.builtIn, isModel)] {
      var options = Options()
      options.subjects = [name]
      let error = #expect(throws: UsageError.self) {
        try RunPlan.checkSubjects(options, subjects, .run)
      }
      #expect(error?.message.contains("'swift run known-bugs' in Interlock's Stress") == isTold)
    }
  }

  @Test("a user's lock becomes a cache and a strategy of 'compare'")
  func lock() throws {
    let entry = SubjectEntry.lock("mine", "a lock") { FoundationLock() }
    #expect(entry.isMemoryCache && entry.runsUnlisted)
    let strategy = try #require(entry.strategy as? StrategyEntry)
    #expect(strategy.name == "mine" && strategy.makeLock != nil)
  }

  @Test("the four caches are public subjects, and each repair is a repair of their code")
  func repairs() throws {
    #expect(
      SubjectEntry.builtIn.map(\.name)
        == ["semaphore-lock", "mutex", "serial-queue-sync", "semaphore-over-async"])
    let faulty = [
      "serial-queue-sync": "SerialQueue/SerialQueueCache.swift",
      "semaphore-over-async": "SemaphoreOverAsync/SemaphoreOverAsyncCache.swift",
    ]
    func source(_ name: String) throws -> String {
      try String(contentsOf: Self.root.appending(path: "Sources/Caches/" + name), encoding: .utf8)
    }
    let repaired = try source("LockedCache/LockedCache.swift")
    for entry in SubjectEntry.builtIn {
      #expect(entry.repair.isEmpty == (faulty[entry.name] == nil))
      for line in entry.repair {
        let file = try faulty[entry.name].map(source) ?? ""
        let code = line.dropFirst(2)
        switch line.first {
        case "-": #expect(file.contains("\n    " + code + "\n"))
        case "+": #expect(repaired.contains("\n    " + code + "\n"))
        default: #expect(file.contains(code) && repaired.contains(code))
        }
      }
    }
  }
}

/// The executable without arguments.
struct MainJobTests {
  private func makeWorld() throws -> (test: TestWorld, world: World) {
    let test = try TestWorld()
    try test.makeFolder("caches")
    let text = try test.read("StressScenarios/reads.json")
    for name in ["a-first", "concurrent-reads"] {
      try test.write(text.replacing("\"reads\"", with: "\"\(name)\""), "caches/\(name).json")
    }
    var world = test.ownWorld
    world.mainJob = .init(first: "concurrent-reads", subjects: ["good", "bad"])
    return (test, world)
  }

  @Test("the main job runs the main scenario first, and names the other commands")
  func mainScenarioFirst() throws {
    let (test, world) = try makeWorld()
    #expect(world.perform([]) == .met)
    let text = test.output.text
    let first = try #require(text.range(of: "concurrent-reads: reads a lot\n"))
    let second = try #require(text.range(of: "\na-first: reads a lot\n"))
    #expect(first.lowerBound < second.lowerBound)
    #expect(text.contains("12 trials: 12 met"))
    #expect(text.contains("The thousand reads on a pool of 64 threads, as on Apple's systems:\n"))
    #expect(test.trials.map(\.subject) == ["good", "bad"])
    #expect(test.trials.allSatisfy { $0.scenario.poolWidth == 64 })
    #expect(text.contains("\nswift run interlock deadlocks "))
  }

  @Test("a command line with a folder, a scenario or a subject is not the main job")
  func otherJobs() throws {
    let (test, world) = try makeWorld()
    for arguments in [["reads"], ["--subject", "good"], [test.folder + "/StressScenarios"]] {
      #expect(world.perform(arguments) == .met)
    }
    #expect(!test.output.text.contains("The thousand reads on a pool"))
    #expect(test.trials.count == 12)
  }
}

/// The order of the lines on the terminal.
struct TerminalOrderTests {
  @Test("lines of results are in the order of the plan, in whatever order the trials end")
  func planned() throws {
    let test = try TestWorld()
    var world = test.ownWorld
    let run = world.runTrials
    world.runTrials = { jobs, trials, report in
      var events: [TrialRunner.Event] = []
      let ending = try run(jobs, trials) { events.append($0) }
      for event in events.reversed() { report(event) }
      return ending
    }
    #expect(world.perform([]) == .met)
    let lines = test.output.text.split(separator: "\n", omittingEmptySubsequences: false)
    let reads = try #require(lines.firstIndex(of: "reads: reads a lot"))
    #expect(lines[reads + 1].hasPrefix("✓ good   passed"))
    #expect(lines[reads + 2].hasPrefix("✓ bad    race"))
    let writes = try #require(lines.firstIndex(of: "writes: writes a lot"))
    #expect(writes > reads && lines[writes - 1].isEmpty)
  }

  @Test("an interrupted run shows each result that it has")
  func interrupted() throws {
    let test = try TestWorld()
    var world = test.ownWorld
    let run = world.runTrials
    world.runTrials = { jobs, trials, report in
      var events: [TrialRunner.Event] = []
      _ = try run(jobs, trials) { events.append($0) }
      for event in events.dropFirst(2) { report(event) }
      return .interrupted
    }
    #expect(world.perform([]) == .interrupted)
    #expect(test.output.text.contains("✓ mutex  passed"))
  }
}

extension TestWorld {
  /// The world of an executable whose own scenarios are in this folder.
  var ownWorld: World {
    var world = world
    world.scenarioFolder = folder + "/StressScenarios"
    return world
  }
}
