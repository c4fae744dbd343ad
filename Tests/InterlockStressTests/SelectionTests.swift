import StressRunner
import Testing

@testable import InterlockStress

/// The subjects that a scenario runs on, and the list of known bugs.
@Suite("Families, listed subjects and recipes")
struct SelectionTests {
  private func makeWorld() throws -> TestWorld {
    let test = try TestWorld()
    test.moreSubjects = [
      entry("tm", actions: ["trim-to-cost"]), entry("tm-repaired"),
      entry("yy", family: "YYCache", missing: "needs SQLite: install libsqlite3-dev"),
    ]
    try test.write(
      """
      { "name": "tm-3", "summary": "back-fill", "source": "a test",
        "recipe": { "id": "TM-3", "system": "TMCache", "design": "get fills memory", "bug": "stale",
                    "asShipped": "tm", "repaired": "tm-repaired" },
        "subjects": ["tm", "tm-repaired", "yy"],
        "workload": { "script": { "roles": { "A": [{ "do": "subject.trim-to-cost" }] } } },
        "expect": { "tm": "violation" } }
      """, "tm-3.json")
    return test
  }

  private func entry(
    _ name: String, family: String = "TMCache", actions: [String] = [], missing: String? = nil
  ) -> SubjectEntry {
    SubjectEntry(
      name: name, summary: "is \(name)", family: family, actions: actions, runsUnlisted: false,
      missing: missing
    ) { IdleSubject() }
  }

  private func pairs(_ test: TestWorld) -> [String] {
    test.trials.map { "\($0.scenario.name) \($0.subject)" }
  }

  @Test("A scenario that lists subjects runs on these only, and they run in no other scenario")
  func listed() throws {
    let test = try makeWorld()
    #expect(test.run("run") == .met)
    #expect(
      pairs(test) == [
        "reads good", "reads bad", "reads mutex", "tm-3 tm", "tm-3 tm-repaired", "writes good",
        "writes bad", "writes mutex",
      ])
    #expect(test.output.text.contains("tm-3  ✓ violation tm           ✓ passed    tm-repaired"))
  }

  @Test("A missing dependency skips its trials, and names the package to install")
  func missing() throws {
    let test = try makeWorld()
    #expect(test.run("run", "tm-3") == .met)
    #expect(test.output.text.contains("\n– yy           skipped"))
    #expect(test.output.text.contains("needs SQLite: install libsqlite3-dev"))
    #expect(test.output.text.contains("2 met, 0 unmet, 1 skipped"))
  }

  @Test("'--family' tries one family's subjects; an unknown family is named with the nearest")
  func family() throws {
    let test = try makeWorld()
    #expect(test.run("run", "--family", "TMCache") == .met)
    #expect(pairs(test) == ["tm-3 tm", "tm-3 tm-repaired"])
    #expect(test.run("run", "--family", "TMCahe") == .usage)
    #expect(
      test.errors.text.hasPrefix("error: There is no family 'TMCahe': did you mean 'TMCache'?"))
  }

  @Test("A subject that runs only where it is listed also runs on request")
  func askedFor() throws {
    let test = try makeWorld()
    #expect(test.run("run", "reads", "--subject", "tm") == .met)
    #expect(pairs(test) == ["reads tm"])
    #expect(test.run("run", "tm-3", "--subject", "good") == .nothingSelected)
    #expect(test.errors.text.contains("None of these scenarios is for the requested subjects"))
  }

  @Test("A call that no subject has is one line with the nearest call")
  func unknownCall() throws {
    let test = try makeWorld()
    test.moreSubjects[0].actions = ["trim-to-count"]
    #expect(test.run("run") == .badScenario)
    #expect(
      test.errors.text.hasSuffix(
        "tm-3.json:5: no subject has the call 'trim-to-cost': did you mean 'trim-to-count'?\n"))
  }

  @Test("'list' groups subjects by family, and names missing libraries")
  func list() throws {
    let test = try makeWorld()
    #expect(test.run("list") == .met)
    #expect(
      test.output.text.hasPrefix(
        """
        SUBJECTS:
          good   is good
          bad    is bad
          mutex  is mutex

        SUBJECTS of TMCache:
          tm           is tm
          tm-repaired  is tm-repaired

        SUBJECTS of YYCache:
          yy  is yy (skipped: needs SQLite: install libsqlite3-dev)

        """))
  }

  @Test("'recipes' is a table of the known bugs")
  func recipes() throws {
    let test = try makeWorld()
    #expect(test.run("recipes") == .met)
    #expect(
      test.output.text == """
        | bug | system | design | what happens | as shipped | repaired | source |
        | --- | --- | --- | --- | --- | --- | --- |
        | TM-3 | TMCache | get fills memory | stale | violation (`tm`) | passed (`tm-repaired`) | \
        a test |

        """)
    #expect(test.run("recipes", "x") == .usage)
  }
}
