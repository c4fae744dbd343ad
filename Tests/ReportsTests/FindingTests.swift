import Findings
import Interlock
import Prediction
import StressRunner
import Testing
import Hangs

@testable import Reports

@Suite("A finding")
struct FindingTests {
  @Test("A trial that meets its scenario's expectation has no finding")
  func expected() {
    #expect(Faults.findings(Samples.deadlock).isEmpty)
    #expect(Faults.findings(Hangs.certain).isEmpty)
    #expect(Faults.findings(Samples.skipped).isEmpty)
    #expect(Faults.findings(Samples.result(Samples.writes, "mutex")).isEmpty)
  }

  @Test("A known bug that no longer shows is a finding at its scenario's file")
  func suddenPass() throws {
    let finding = try #require(Faults.findings(Samples.result(Samples.reads, "unlocked")).first)
    #expect(finding.rule == .notAsExpected)
    #expect(finding.message.hasPrefix("passed, expected race"))
    let location = finding.location(in: Faults.repository)
    #expect(location?.path == "StressScenarios/concurrent-reads.json")
  }

  @Test("A conflict is shown at its second side, in the file that its stack or the repository has")
  func conflict() throws {
    let finding = try #require(Faults.findings(Samples.race).first)
    #expect(finding.rule == .race)
    #expect(finding.resource == "cache.entries")
    #expect(finding.sides.count == 2)
    let second = finding.location(in: Faults.repository)
    #expect(second?.path == "Sources/Caches/Storage.swift")
    #expect(second?.line == 36 && second?.isInside == true)
    #expect(finding.sides.last?.place.file == "/src/Storage.swift")
  }

  @Test("A fingerprint has functions and resource, and no line number, instance or seed")
  func fingerprint() throws {
    func print(_ result: TrialResult) throws -> String {
      try #require(Faults.findings(result).first).key.fingerprint
    }
    let first = try print(Faults.race(on: "users"))
    var moved = Faults.race(on: "users", line: 99)
    moved.trial.seed = 7
    moved.observation.conflicts[0].instance = "#8"
    #expect(try print(Samples.judged(moved.trial, moved.observation)) == first)
    #expect(try print(Faults.race(on: "groups")) != first)
    #expect(try print(Faults.race(on: "users", function: "drop()")) != first)
    // The order of the sides differs between runs.
    var turned = Faults.race(on: "users").observation
    let side = turned.conflicts[0].first
    turned.conflicts[0].first = turned.conflicts[0].second
    turned.conflicts[0].second = side
    #expect(try print(Samples.judged(Samples.race.trial, turned)) == first)
    // Fingerprints are kept in files, so they must be equal in every process.
    #expect(
      Finding.Key(rule: "race", resource: "users", functions: ["b()", "a()", "b()"]).fingerprint
        == "501caa8028a7eb03")
  }

  @Test("The key of a property without a name has the property's file, and no line")
  func unnamedProperty() {
    func key(_ resource: String, in file: String?) -> Finding.Key {
      var conflict = Faults.race(on: resource).observation.conflicts[0]
      conflict.fileOfProperty = file
      return Finding(conflict).key
    }
    let file = "property at Lib/Lib.swift"
    #expect(key("\(file):7", in: file) == key("\(file):10", in: file))
    #expect(key("\(file):7", in: file) != key("\(file):7", in: "property at Lib/Other.swift"))
    // A user's name may look like such a key.
    #expect(key("\(file):7", in: nil) != key("\(file):8", in: nil))
  }

  @Test("Parts of a key are not run together")
  func separateParts() {
    let one = Finding.Key(rule: "race", resource: "ab", functions: ["c"])
    let other = Finding.Key(rule: "race", resource: "a", functions: ["bc"])
    #expect(one.fingerprint != other.fingerprint)
  }

  @Test("A finding without a function is keyed by its scenario and subject")
  func trialKey() throws {
    let finding = try #require(Faults.findings(Samples.violation).first)
    #expect(finding.rule.id == "count-matches")
    #expect(finding.key.resource == "thousand-and-one-writes/mutex")
  }

  @Test("A predicted fault is a warning, and an error if it fails the run")
  func potential() throws {
    let finding = try #require(Faults.findings(Faults.potential).first)
    #expect(finding.rule.id == "potential-lock-order" && finding.level == .warning)
    #expect(finding.key.functions == ["audit()", "transfer(to:)"])
    var settings = FailureSettings()
    settings.onPotential = true
    #expect(Faults.findings(Faults.potential, settings).first?.level == .error)
  }

  @Test("The resource of a predicted race is the resource of its accesses, with any texts")
  func potentialRace() {
    let frame = [StackFrame(address: 1, function: "f()", file: "/src/A.swift", line: 1)]
    var potential = PotentialFinding(
      kind: .race, headline: "",
      sides: [.init(party: "a", act: "writes 'users #3'", place: frame)])
    #expect(Finding(potential).resource == nil)
    potential.resource = "users"
    #expect(Finding(potential).resource == "users")
  }

  @Test("A hang is shown where each thread of the cause waits, an explored hang with its schedule")
  func hang() throws {
    let hang = try #require(Faults.findings(Hangs.result(Hangs.ring, subject: "shop")).first)
    #expect(hang.rule.id == "deadlock-cycle")
    #expect(hang.sides.map(\.place.line) == [21, 31])
    let explored = try #require(Faults.findings(Faults.explored).first)
    #expect(explored.rule.id == "deadlock-cycle")
    #expect(explored.steps.map(\.party) == ["thread 1", "thread 2"])
    #expect(explored.sides.map(\.place.line) == [6, 10])
  }

  @Test("Equal findings of one trial are one finding, and those of several trials are counted")
  func counted() {
    var twice = Samples.race.observation
    twice.conflicts.append(twice.conflicts[0])
    twice.conflicts[1].second.place.line = 99
    let result = Samples.judged(Samples.race.trial, twice)
    #expect(Faults.findings(result).count == 1)
    var list = FindingList()
    for _ in 0..<3 { Faults.findings(result).forEach { list.add($0) } }
    let all = list.all { _ in 10 }
    #expect(all.map(\.count) == [3])
    #expect(all.first?.frequency == "3 of 10 trials")
  }

  @Test("A finding's text of any length is cut, also in the key")
  func cut() throws {
    let long = String(repeating: "x", count: 10_000_000)
    var list = FindingList()
    Faults.findings(Faults.race(on: long, function: long)).forEach { list.add($0) }
    let finding = try #require(list.all().first)
    #expect(finding.message.count <= 4096)
    #expect(finding.key.resource.count <= 512)
    #expect(finding.key.functions.allSatisfy { $0.count <= 512 })
  }

  @Test("Every verdict, oracle, cause and predicted kind has its own rule")
  func rules() {
    let ids = Rule.all.map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil })
    for oracle in Oracle.allCases { #expect(ids.contains(oracle.rawValue)) }
    for kind in PotentialFinding.Kind.allCases {
      #expect(ids.contains("potential-" + kind.rawValue))
    }
    for cause in Diagnosis.Cause.allCases where cause != .unknown {
      #expect(Rule.deadlock(cause).id == "deadlock-" + cause.rawValue)
    }
    for rule in Rule.all {
      #expect(rule.summary.hasSuffix(".") && rule.summary.count <= 100, "\(rule.id)")
      #expect(!rule.summary.contains("\n"))
      #expect(!rule.meaning.isEmpty && !rule.example.isEmpty && !rule.remedy.isEmpty)
    }
  }
}

@Suite("A repository")
struct RepositoryTests {
  private let repository = Repository(root: "/src") { _ in
    ["Sources/A/File.swift", "Sources/B/File.swift", "Sources/A/Only.swift"]
  }

  private func path(_ file: String) -> String? {
    let location = repository.location(ofFile: file, line: 3)
    return location.isInside ? location.path : nil
  }

  @Test("A path below a repository's root becomes relative to the root, and any other path stays")
  func paths() {
    #expect(path("/src/Sources/A/File.swift") == "Sources/A/File.swift")
    #expect(path("/srcs/File.swift") == nil)
    #expect(path("/src/../etc/passwd") == nil)
    #expect(path("/src/./a/../b.swift") == "b.swift")
    #expect(path("../b.swift") == nil)
  }

  @Test("A module and a name identify a file if only one file of the repository fits")
  func modules() {
    #expect(path("A/File.swift") == "Sources/A/File.swift")
    #expect(path("C/File.swift") == nil)
    #expect(path("C/Only.swift") == "Sources/A/Only.swift")
    #expect(path("Sources/B/File.swift") == "Sources/B/File.swift")
    #expect(path("Other.swift") == nil)
  }
}
