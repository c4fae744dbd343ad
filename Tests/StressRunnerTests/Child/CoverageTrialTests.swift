import Foundation
import Interlock
import Testing

@testable import StressRunner

/// The contention coverage that a trial's child reports, and the changes that a witness finds.
struct CoverageTrialTests {
  private func result(_ subject: String, callers: Int) throws -> TrialResult {
    let trial = makeTrial(subject, makeScenario(callers: callers, driver: .threads))
    return try #require(run([trial], jobs: 1).results[subject])
  }

  @Test("A resource that several callers used is shared, with its owners and its call site")
  func shared() throws {
    let result = try result("write-under-lock", callers: 4)
    #expect(result.verdict.kind == .passed)
    let resource = try #require(result.observation.coverage?.resources.first)
    #expect(resource.name == "test.shared")
    #expect(resource.contention == .shared)
    #expect(resource.owners == 4)
    #expect(resource.places.map(\.byOneOwner) == [false])
    #expect(resource.nearMisses + resource.apart == 1)
  }

  @Test("A resource that a single caller used was not tested")
  func lone() throws {
    let result = try result("write-under-lock", callers: 1)
    #expect(result.observation.coverage?.notTested.map(\.name) == ["test.shared"])
  }

  @Test("A trial that ends with a conflict reports its contention coverage too")
  func conflict() throws {
    let result = try result("race", callers: 1)
    #expect(result.verdict.kind == .race)
    #expect(result.observation.coverage?.resources.map(\.name) == ["test.entries"])
    let resource = try #require(result.observation.coverage?.resources.first)
    #expect(resource.overlapped == 1)
    #expect(resource.contention == .shared)
    #expect(resource.owners == 2)
  }

  @Test("A trial without sections has an empty coverage, and a trial that dies has none")
  func nothing() throws {
    #expect(try result("quick", callers: 1).observation.coverage == CoverageReport())
    #expect(try result("killed", callers: 1).observation.coverage == nil)
  }

  @Test("A trial reports the oracles that its subject's data cannot decide")
  func undecided() throws {
    var scenario = makeScenario(callers: 1, driver: .threads)
    scenario.oracles = [.totalCostMatches, .completesOnce]
    let trial = makeTrial("quick", scenario)
    let result = try #require(run([trial], jobs: 1).results["quick"])
    #expect(result.verdict.kind == .passed)
    #expect(result.observation.undecidedOracles.map(\.oracle) == [.totalCostMatches])
  }

  @Test("An unmarked change is a race, with both values")
  func witness() throws {
    let result = try result("change-unmarked", callers: 1)
    guard case .race(let conflict) = result.verdict else {
      Issue.record("\(result.verdict)")
      return
    }
    #expect(conflict.resource == "test.witnessed")
    #expect(conflict.witness?.before == "0")
    #expect(conflict.witness?.after == "1")
  }
}
