import Foundation
import Testing

@testable import StressRunner

/// Real children that run scripts.
@Suite("A script's trial")
struct ScriptTrialTests {
  /// A read is held between the lower layer and the upper one while another role stores.
  private static let heldRead = Script(
    preparation: [Script.Call(.set), Script.Call(.action("forget-upper"))],
    roles: [
      Script.Role("A", [Script.Call(.get)]), Script.Role("B", [Script.Call(.set, value: 1)]),
    ],
    order: [Script.Step("A", "twoLayers.get.afterLowerRead"), Script.Step("B", "call 1 ends")])

  private func run(
    _ subject: String, _ script: Script, excluded: Bool = false, times: Int = 1, stall: Double = 2
  ) throws -> [TrialResult] {
    let scenario = Scenario(
      name: "script", summary: "", source: "",
      workload: Workload(
        script: script, keys: 1, valueBytes: 64, preparesAllKeys: false, seed: 1),
      limits: Limits(stallSeconds: stall),
      oracles: [.completesOnce, .layersAgree, .readsFresh, .valuesIntact],
      expectations: [subject: .init(verdict: .passed, excludesOrder: excluded)])
    let trials = [Trial](
      repeating: Trial(scenario: scenario, subject: subject, seed: 1), count: times)
    var runner = TrialRunner(jobs: 2)
    runner.executable = childExecutable
    var results: [TrialResult] = []
    _ = runner.run(trials) { if case .finished(_, let result) = $0 { results.append(result) } }
    #expect(results.count == times)
    return results
  }

  @Test("The interleaving of an order is found every time, with each role's events")
  func found() throws {
    for result in try run("two-layers", Self.heldRead, times: 20) {
      #expect(
        result.verdict
          == .violation(
            .oracle(
              .init(
                oracle: .layersAgree,
                evidence: "at the end, key-0 was value 1 in the lower layer and value 0 in the"
                  + " upper layer"))))
      #expect(
        result.observation.script
          == ScriptRecord(passages: [
            .init(role: "A", text: "get key-0"),
            .init(role: "A", text: "reaches twoLayers.get.afterLowerRead"),
            .init(role: "B", text: "set key-0 to value 1"),
            .init(role: "B", text: "set key-0 to value 1 is done"),
            .init(role: "A", text: "key-0 is value 0"),
          ]))
    }
  }

  @Test("A subject that survives the order has passed")
  func survived() throws {
    for result in try run("two-layers-versioned", Self.heldRead, times: 20) {
      #expect(result.verdict == .passed)
    }
  }

  @Test("An order that the subject excludes is given up at once, and passes only if expected")
  func excluded() throws {
    let reason =
      "step 2 of 2, B's call 1 ends, cannot be reached: every"
      + " thread waits; A waited at twoLayers.get.afterLowerRead"
    // A limit so long that it is never the reason, even on a busy machine.
    var script = Self.heldRead
    script.seconds = 30
    let expected = try run("two-layers-exclusive", script, excluded: true, stall: 40)[0]
    #expect(expected.verdict == .passed)
    #expect(expected.observation.script?.givenUp == reason)
    let unexpected = try run("two-layers-exclusive", script, stall: 40)[0]
    #expect(unexpected.verdict == .timedOut(.order(reason: reason)))
    #expect(unexpected.isMet == false)
  }

  @Test("A point that no role reaches is named, and every role is released")
  func neverReached() throws {
    var script = Self.heldRead
    script.order = [Script.Step("A", "twoLayers.get.nowhere"), Script.Step("B", "call 1 ends")]
    script.seconds = 30
    let result = try run("two-layers", script, stall: 40)[0]
    #expect(
      result.verdict
        == .timedOut(
          .order(
            reason: "step 1 of 2, A reaches twoLayers.get.nowhere, cannot be reached: every thread"
              + " waits")))
  }

  @Test("A call that never completes is reported, and not blamed on the order")
  func neverAnswered() throws {
    var script = Self.heldRead
    // The call alone, and followed by another call that completes.
    for calls in [
      [Script.Call(.action("never-answer"))],
      [Script.Call(.action("never-answer"), waits: false), Script.Call(.get)],
    ] {
      script.roles[1].calls = calls
      let result = try run("two-layers", script)[0]
      guard case .violation(.lostCalls(1, _)) = result.verdict else {
        Issue.record("\(result.verdict)")
        return
      }
    }
  }
}
