import InterlockStress
import Testing

@testable import KnownBugs

@Suite("The calls of the subjects", .timeLimit(.minutes(10)))
struct SubjectActionTests {
  @Test(
    "A subject supports the calls that it lists, and no others of its family",
    arguments: knownBugSubjects.filter { $0.missing == nil && !$0.runsUnlisted }.map(\.name))
  func actions(_ name: String) throws {
    let entry = try #require(knownBugSubjects.first { $0.name == name })
    let subject = entry.make()
    let family = knownBugSubjects.filter { $0.family == entry.family }
    for action in Set(family.flatMap(\.actions) + ["another"]) {
      #expect(
        subject.supports(.action(action)) == entry.actions.contains(action), "\(action)")
    }
  }

  @Test("A model runs only in the scenarios that list it")
  func listed() {
    let unlisted = knownBugSubjects.filter(\.runsUnlisted).map(\.name)
    #expect(Set(unlisted) == ["task-semaphore", "actor", "stdlib-mutex"])
  }
}
