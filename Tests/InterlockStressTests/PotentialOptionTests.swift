import Prediction
import StressRunner
import Testing

@testable import InterlockStress

@Suite("How 'run' judges predicted findings")
struct PotentialOptionTests {
  private static let finding = PotentialFinding(
    kind: .lockOrder, headline: "two locks are taken in both orders", sides: [])

  /// A world of three scenarios: without an expectation, with an expected kind, and expecting none.
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

  @Test("Trials predict if the scenario has an expectation, or if an option asks for it")
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

  @Test("A predicted finding without an expectation is shown, and changes no exit code")
  func shown() throws {
    let test = try world()
    test.findings = { _ in [Self.finding] }
    #expect(test.run("writes", "--subject", "good", "--predict", "on") == .met)
    #expect(test.output.text.contains("lock-order: two locks are taken in both orders"))
    #expect(test.output.text.contains("potential, not observed: writes on good"))
    #expect(test.output.text.contains("1 with potential findings"))
  }

  @Test("A predicted finding is red if an option asks for it, unless it is expected")
  func failsOn() throws {
    let test = try world()
    test.findings = { _ in [Self.finding] }
    #expect(test.run("writes", "--subject", "good", "--fail-on", "potential") == .unmet)
    #expect(test.run("orders", "--subject", "bad", "--fail-on", "potential") == .met)
    test.findings = { _ in [] }
    #expect(test.run("writes", "--subject", "good", "--fail-on", "potential") == .met)
  }

  @Test("A predicted finding must appear if the scenario expects it, and not if it excludes it")
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
    // Without prediction, expectations are not judged.
    #expect(test.run("orders", "--predict", "off") == .met)
  }

  @Test("A replay predicts as the trial did; '--fail-on potential' without prediction is a mistake")
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
