import Interlock
import StressRunner
import Testing

@testable import InterlockStress

@Suite("Checks that a green run means something")
struct ContentionOptionTests {
  /// A world whose trials cover one resource.
  private static func world(_ contention: CoverageReport.Contention?) throws -> TestWorld {
    let test = try TestWorld()
    test.coverage = contention.map { contention in
      var report = CoverageReport()
      report.resources = [
        CoverageReport.Resource(
          name: "entries", owners: 1, contention: contention, places: [], pairs: [], overlapped: 0,
          nearMisses: 0, apart: 0)
      ]
      return report
    }
    return test
  }

  @Test("a resource of one owner makes the run red if contention is required, with the reason")
  func red() throws {
    let test = try Self.world(.oneOwner)
    #expect(test.run("reads", "--subject", "good") == .met)
    #expect(test.run("reads", "--subject", "good", "--require-contention") == .unmet)
    #expect(
      test.output.text.contains(
        "reads on good: not tested: 'entries' was touched by one owner only"))
  }

  @Test("shards that required contention are red together, by their records alone")
  func shards() throws {
    let test = try Self.world(.oneOwner)
    for required in [true, false] {
      let records = (1...2).map { test.folder + "/\(required)-\($0).jsonl" }
      for (index, record) in records.enumerated() {
        let shard = ["--shard", "\(index + 1)/2", "--record", record]
        let demand = required ? ["--require-contention"] : []
        _ = test.run(["reads", "--subject", "good"] + shard + demand)
      }
      #expect(test.world.perform(["merge"] + records) == (required ? .unmet : .met))
    }
  }

  @Test("a resource of several owners and an undecided resource are not red")
  func green() throws {
    for contention in [CoverageReport.Contention.shared, .unknown] {
      let test = try Self.world(contention)
      #expect(test.run("--require-contention") == .met)
    }
  }

  @Test("a run without a section, or without a trial with coverage, is red with the reason")
  func nothing() throws {
    let test = try TestWorld()
    test.coverage = CoverageReport()
    #expect(test.run("reads") == .met)
    #expect(test.run("reads", "--require-contention") == .unmet)
    #expect(
      test.output.text.contains(
        "\n✗ coverage: no section was begun in 3 pairs of scenario and subject\n"
      ))
    let silent = try Self.world(nil)
    #expect(silent.run("--require-contention") == .unmet)
    #expect(
      silent.output.text.contains("\n✗ coverage: unknown: no trial survived to report\n"))
  }

  @Test("require_contention=on in the environment is '--require-contention'")
  func environment() throws {
    let test = try Self.world(.oneOwner)
    var world = test.world
    world.requiresContention = true
    let folder = test.folder + "/StressScenarios"
    #expect(world.perform(["run", "reads", "--scenarios", folder]) == .unmet)
  }

  @Test("options in the environment that have no effect end the run with 64 before any trial")
  func optionErrors() throws {
    let test = try Self.world(.shared)
    var world = test.world
    world.optionErrors = ["interlock: INTERLOCK_OPTIONS: 'fail_on' must be potential, found 'x'"]
    let folder = test.folder + "/StressScenarios"
    #expect(world.perform(["run", "--scenarios", folder]) == .usage)
    #expect(
      test.errors.text
        == "error: INTERLOCK_OPTIONS has errors (see above); see 'interlock help run'\n")
    #expect(test.trials.isEmpty)
  }

  @Test("in a build without section tracking, the option is a mistake in one line")
  func withoutTracking() throws {
    let test = try Self.world(nil)
    test.tracksSections = false
    #expect(test.run("--require-contention") == .usage)
    #expect(
      test.errors.text.hasPrefix(
        "error: The option '--require-contention' needs section tracking (a debug build, or"
          + " --traits SectionTracking), found a build without; see"))
    #expect(test.trials.isEmpty)
  }

  @Test("a planted race that is not found ends the run as Interlock's fault before any trial")
  func selfTest() throws {
    let test = try TestWorld()
    test.selfTest = { "a planted race was not found" }
    #expect(test.run("reads", "--json", test.folder + "/out.json") == .ourFault)
    #expect(
      test.errors.text
        == "error: a fault of Interlock's own: section tracking does not work in this run:"
        + " a planted race was not found\n")
    #expect(test.trials.isEmpty)
    #expect(throws: (any Error).self) { try test.read("out.json") }
    test.tracksSections = false
    #expect(test.run("writes") == .met, "without tracking there is nothing to test")
  }
}
