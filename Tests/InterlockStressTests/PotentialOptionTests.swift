import Prediction
import StressRunner
import Testing

@testable import InterlockStress

@Suite("What 'run' makes of what did not go wrong and can")
struct PotentialOptionTests {
  private static let finding = PotentialFinding(
    kind: .lockOrder, headline: "two locks are taken in both orders", sides: [])

  /// A world whose scenarios expect: nothing said of the first, one kind of the second, none of the
  /// third.
  private func world() throws -> TestWorld {
    let test = try TestWorld()
    try test.write(
      """
      { "name": "orders", "summary": "nests locks", "source": "a test",
        "subjects": ["good", "bad"],
        "workload": { "driver": "tasks", "phases": [{ "callers": 2, "operations": ["set"] }] },
        "expect": { "good": { "verdict": "passed", "potential": [] },
                    "bad": { "verdict": "passed", "potential": ["lock-order"] } } }
      """, "orders.json")
    return test
  }

  @Test("Trials look where the scenario says what is expected, and elsewhere where it is asked for")
  func whoLooks() throws {
    let test = try world()
    func looks(_ arguments: String...) -> [Bool] {
      _ = test.run(["orders", "writes", "--subject", "good"] + arguments)
      return test.trials.map(\.predicts)
    }
    #expect(looks() == [true, false])
    #expect(looks("--predict", "on") == [true, true])
    #expect(looks("--predict", "off") == [false, false])
    #expect(looks("--fail-on", "potential") == [true, true])
  }

  @Test("What nobody spoke of is shown, and changes no exit code")
  func shown() throws {
    let test = try world()
    test.findings = { _ in [Self.finding] }
    #expect(test.run("writes", "--subject", "good", "--predict", "on") == .met)
    #expect(test.output.text.contains("lock-order: two locks are taken in both orders"))
    #expect(test.output.text.contains("potential, not observed: writes on good"))
    #expect(test.output.text.contains("1 with potential findings"))
  }

  @Test("It is red where that is asked for, unless it is expected")
  func failsOn() throws {
    let test = try world()
    test.findings = { _ in [Self.finding] }
    #expect(test.run("writes", "--subject", "good", "--fail-on", "potential") == .unmet)
    #expect(test.run("orders", "--subject", "bad", "--fail-on", "potential") == .met)
    test.findings = { _ in [] }
    #expect(test.run("writes", "--subject", "good", "--fail-on", "potential") == .met)
  }

  @Test("What a scenario expects must be found, and what it excludes must not")
  func expected() throws {
    let test = try world()
    test.findings = { $0.subject == "bad" ? [Self.finding] : [] }
    #expect(test.run("orders") == .met)
    test.findings = { _ in [Self.finding] }
    #expect(test.run("orders", "--subject", "good") == .unmet)
    #expect(test.output.text.contains("expected passed, potential: nothing"))
    test.findings = { _ in [] }
    #expect(test.run("orders", "--subject", "bad") == .unmet)
    #expect(test.output.text.contains("expected passed, potential: lock-order"))
    // Where nobody looks, nothing is judged.
    #expect(test.run("orders", "--predict", "off") == .met)
  }

  @Test("A replay looks as the trial did, and red for nothing is a mistake")
  func replay() throws {
    let test = try world()
    test.verdict = { _ in .any(.crashed) }
    #expect(test.run("writes", "--subject", "good", "--predict", "on") == .unmet)
    #expect(test.output.text.contains(" --predict on"))
    #expect(test.run("--predict", "off", "--fail-on", "potential") == .usage)
    #expect(
      test.errors.text.contains("'--fail-on potential' does nothing with '--predict off'"))
  }
}
