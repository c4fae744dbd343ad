import TestSupport
import Testing

@testable import StressRunner

/// For each oracle of a state at rest: a subject that breaks only it, and a subject that does not.
@Suite("An oracle of the state at rest", .hangLimit)
struct RestOracleTests {
  /// The failures of all oracles for a subject with this final state.
  private func failures(_ change: (inout FinalState) -> Void) async -> [Observation.OracleFailure] {
    var state = FinalState(count: 0, entries: [:])
    change(&state)
    let subject = ClosureSubject(finalState: state) { $1(.done) }
    return await run(workload(.threads, callers: 1, [.removeAll]), on: subject)
  }

  @Test("An oracle that the subject's data cannot decide is undecided, if the scenario has it")
  func undecided() {
    let all = Ledger(asking: Oracle.allCases)
    var state = FinalState(count: 0, entries: [:])
    let missing: [Oracle] = [
      .totalCostMatches, .totalsMatch, .indexesAgree, .layersAgree, .limitsHold,
    ]
    #expect(all.undecidedAtRest(state).map(\.oracle) == missing)
    #expect(all.undecidedAtRest(state).first?.evidence == "the subject keeps no cost")
    #expect(Ledger(asking: [.countMatches]).undecidedAtRest(state).isEmpty)
    state.totalCost = 0
    state.totals = [.init("bytes", claimed: 0, counted: 0)]
    state.indexes = ["list": [], "table": []]
    state.layers = ["memory": [:], "disk": [:]]
    state.limits = [.init("entries", value: 0, limit: 1)]
    #expect(all.undecidedAtRest(state).isEmpty)
    let silent = all.undecidedAtRest(nil)
    #expect(silent.count == 8)
    #expect(silent.first?.evidence == "the subject says nothing of its state at the end")
  }

  @Test("totals-match finds a sum that differs from the recount")
  func totals() async {
    let byteCount = "the byte count of the disk"
    #expect(
      await failures {
        $0.totals = [
          .init("entries", claimed: 3, counted: 3), .init(byteCount, claimed: -5, counted: 12),
        ]
      } == [
        .init(
          oracle: .totalsMatch,
          evidence: "at the end, the byte count of the disk was -5, and counting gave 12")
      ])
    #expect(await failures { $0.totals = [.init(byteCount, claimed: 12, counted: 12)] } == [])
  }

  @Test("indexes-agree finds a key that one structure has and another lacks")
  func indexes() async {
    #expect(
      await failures {
        $0.indexes = ["the list": ["key-1"], "the dictionary": ["key-1", "key-2"]]
      }
        == [
          .init(
            oracle: .indexesAgree,
            evidence: "at the end, the dictionary had key-2, and the list had not")
        ])
    #expect(
      await failures { $0.indexes = ["a": ["key-1"], "b": ["key-1"], "c": []] }.map(\.oracle)
        == [.indexesAgree])
    #expect(await failures { $0.indexes = ["a": ["key-1"], "b": ["key-1"]] } == [])
  }

  @Test("layers-agree finds two values of one key, and accepts a key that one layer lacks")
  func layers() async {
    #expect(
      await failures { $0.layers = ["memory": ["key-0": [1]], "the disk": ["key-0": [2, 3]]] } == [
        .init(
          oracle: .layersAgree,
          evidence: "at the end, key-0 was 1 bytes in memory and 2 bytes in the disk")
      ])
    #expect(
      await failures {
        $0.layers = ["memory": ["key-0": [1]], "the disk": ["key-0": [1], "key-1": [2]]]
      } == [])
  }

  @Test("limits-hold finds a value above its limit, and accepts a value at its limit")
  func limits() async {
    #expect(
      await failures { $0.limits = [.init("entries in memory", value: 3, limit: 2)] } == [
        .init(
          oracle: .limitsHold, evidence: "at the end, entries in memory: 3, and the limit was 2")
      ])
    #expect(await failures { $0.limits = [.init("entries", value: 2, limit: 2)] } == [])
  }

  @Test("events-paired finds an announced act that was not done, and an act without announcement")
  func events() async {
    #expect(
      await failures { $0.events = [.will("remove", key: "key-0"), .did("add", key: "key-0")] }
        == [
          .init(
            oracle: .eventsPaired,
            evidence: "'did add key-0' was called, and 'will add key-0' was not")
        ])
    #expect(
      await failures {
        $0.events = [
          .will("add", key: "key-0"), .did("add", key: "key-0"), .will("add", key: "key-0"),
        ]
      } == [
        .init(
          oracle: .eventsPaired,
          evidence: "'will add key-0' was called, and 'did add key-0' never")
      ])
    #expect(
      await failures {
        $0.events = [
          .will("add", key: "key-0"), .will("add", key: "key-0"), .did("add", key: "key-0"),
          .did("add", key: "key-0"),
        ]
      } == [])
  }

  @Test("silent-after-cancel finds a callback after its cancel, and accepts another request's")
  func cancel() async {
    #expect(
      await failures { $0.events = [.cancelled(request: 1), .calledBack(request: 1)] } == [
        .init(
          oracle: .silentAfterCancel,
          evidence: "request 1 was called back after its cancel() had returned")
      ])
    #expect(
      await failures {
        $0.events = [
          .calledBack(request: 1), .cancelled(request: 1), .cancelled(request: 2),
          .calledBack(request: 3),
        ]
      } == [])
  }
}
