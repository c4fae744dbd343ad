import StressRunner
import Testing

@testable import InterlockStress

@Suite("What 'list' shows with a filter")
struct ListFilterTests {
  private func makeWorld() throws -> TestWorld {
    let test = try TestWorld()
    test.benches = [BenchEntry(name: "sections", summary: "measures sections") {}]
    test.moreSubjects = ["tm", "tm-repaired"].map { name in
      SubjectEntry(
        name: name, summary: "is a pair", family: "TMCache", runsUnlisted: false
      ) { IdleSubject() }
    }
    try test.write(
      """
      { "name": "back-fill", "summary": "Stale back-fill", "source": "a test",
        "subjects": ["tm", "tm-repaired"],
        "workload": { "script": { "roles": { "A": [{ "do": "get" }] } } },
        "expect": { "tm": { "verdict": "deadlock", "cause": "cycle" },
                    "tm-repaired": { "verdict": "passed", "potential": ["lock-order"] } } }
      """, "back-fill.json")
    return test
  }

  private func list(_ arguments: String...) throws -> String {
    let test = try makeWorld()
    #expect(test.run(["list"] + arguments) == .met)
    #expect(test.errors.text == "")
    return test.output.text.replacing("\(test.folder)/", with: "")
  }

  private let backFill = "SCENARIOS (StressScenarios):\n  back-fill  Stale back-fill\n"

  @Test("'list TEXT' shows entries with the text in their name or summary, in any case")
  func text() throws {
    #expect(
      try list("WRITES") == "SCENARIOS (StressScenarios):\n  writes  writes a lot\n")
    #expect(
      try list("is", "utex") == "SUBJECTS:\n  mutex  is mutex\n")
    #expect(
      try list("section") == "BENCHES:\n  sections  measures sections\n")
    #expect(try list("nothing like it") == "nothing matches\n")
  }

  @Test("'list --family' shows a family's subjects and their scenarios")
  func family() throws {
    #expect(
      try list("--family", "TMCache")
        == "SUBJECTS of TMCache:\n  tm           is a pair\n  tm-repaired  is a pair\n\n"
        + backFill)
    let test = try makeWorld()
    #expect(test.run("list", "--family", "TMCahe") == .usage)
    #expect(
      test.errors.text.hasPrefix("error: There is no family 'TMCahe': did you mean 'TMCache'?"))
  }

  @Test("'list --tag' knows verdicts, causes, potential findings, drivers and folders")
  func tag() throws {
    let tm = "SUBJECTS of TMCache:\n  tm  is a pair\n\n"
    for tag in ["deadlock", "cycle"] { #expect(try list("--tag", tag) == tm + backFill) }
    #expect(
      try list("--tag", "lock-order")
        == "SUBJECTS of TMCache:\n  tm-repaired  is a pair\n\n" + backFill)
    #expect(
      try list("--tag", "race")
        == "SUBJECTS:\n  bad  is bad\n\nSCENARIOS (StressScenarios):\n  reads  reads a lot\n")
    #expect(try list("--tag=tasks", "--tag=race") == list("--tag", "race"))
    #expect(try list("--tag", "deadlock", "--tag", "race") == "nothing matches\n")
    #expect(try list("--tag", "script").hasSuffix(backFill))
    #expect(try list("--tag", "script", "stale") == backFill)
    let test = try makeWorld()
    #expect(test.run("list", "--tag", "deadlok") == .usage)
    #expect(
      test.errors.text.hasPrefix("error: There is no tag 'deadlok': did you mean 'deadlock'?"))
  }

  @Test("'list --tag' knows the folder of a scenario")
  func folder() throws {
    let test = try makeWorld()
    try test.makeFolder("hangs")
    try test.write(
      """
      { "name": "stuck", "summary": "is stuck", "source": "a test",
        "workload": { "driver": "threads",
                      "phases": [{ "callers": 2, "operations": ["get"] }] } }
      """, "hangs/stuck.json")
    #expect(test.run("list", "--tag", "hangs") == .met)
    #expect(
      test.output.text.hasSuffix("SCENARIOS (\(test.folder)/StressScenarios):\n  stuck  is stuck\n")
    )
  }

  @Test("Help explains what 'pool' requires, and how 'list' can be filtered")
  func help() throws {
    let world = try TestWorld().world
    #expect(world.helpText(.pool, width: 80).contains("--subject <name>        Required: "))
    #expect(!world.helpText(.pool, width: 80).contains("(default: all)"))
    #expect(
      world.helpText(.list, width: 80).contains("USAGE: interlock list [<options>] [<text> ...]"))
  }
}
