import Foundation
import ProcessInspection

extension Ledger {
  /// Checks the oracles for a subject's state at rest, except those for values and loss.
  ///
  /// - Parameters:
  ///   - state: The subject's state.
  ///   - name: Returns a value's name for evidence.
  func askAtRest(_ state: FinalState, naming name: (_ key: String, _ bytes: [UInt8]) -> String) {
    if let evidence = evidenceOfWrongCount(in: state) { note(.countMatches, evidence) }
    if let evidence = evidenceOfWrongTotalCost(in: state) { note(.totalCostMatches, evidence) }
    if let evidence = evidenceOfWrongTotal(in: state) { note(.totalsMatch, evidence) }
    if let evidence = evidenceOfDisagreement(in: state) { note(.indexesAgree, evidence) }
    if let evidence = evidenceOfDifferentLayers(in: state, naming: name) {
      note(.layersAgree, evidence)
    }
    if let evidence = evidenceOfBrokenLimit(in: state) { note(.limitsHold, evidence) }
    if let evidence = evidenceOfUnpairedEvent(in: state) { note(.eventsPaired, evidence) }
    if let evidence = evidenceOfCallAfterCancel(in: state) { note(.silentAfterCancel, evidence) }
  }
}

extension Ledger {
  /// Returns the scenario's oracles that a state at rest cannot decide.
  ///
  /// Without this, a part that the subject leaves out would count as a check that held.
  ///
  /// - Parameter state: The subject's state; `nil` if it has none.
  /// - Returns: The oracles, with the reason as their evidence.
  func undecidedAtRest(_ state: FinalState?) -> [Observation.OracleFailure] {
    let reasons: [(Oracle, String?)]
    if let state {
      reasons = [
        (.totalCostMatches, state.totalCost == nil ? "the subject keeps no cost" : nil),
        (.totalsMatch, state.totals.isEmpty ? "the subject keeps no sum" : nil),
        (.indexesAgree, state.indexes.count < 2 ? "the subject has no two structures" : nil),
        (.layersAgree, state.layers.count < 2 ? "the subject has no two layers" : nil),
        (.limitsHold, state.limits.isEmpty ? "the subject has no limit" : nil),
      ]
    } else {
      let oracles: [Oracle] = [
        .countMatches, .totalCostMatches, .totalsMatch, .indexesAgree, .layersAgree, .limitsHold,
        .eventsPaired, .silentAfterCancel,
      ]
      reasons = oracles.map { ($0, "the subject says nothing of its state at the end") }
    }
    return reasons.compactMap { oracle, reason in
      guard asks(oracle) else { return nil }
      return reason.map { Observation.OracleFailure(oracle: oracle, evidence: $0) }
    }
  }
}

/// Asks a subject for its state, on a dedicated thread.
func finalState(of subject: any Subject) -> FinalState? {
  let answer = HandOver<FinalState?>()
  // Join the thread, so that the wait-for graph shows the waiting caller if the subject hangs in
  // this call.
  DedicatedThread { answer.give(subject.finalState()) }.join()
  return answer.take()
}

/// The number of a key, from its name.
func keyNumber(of name: String) -> Int? {
  name.hasPrefix("key-") ? Int(name.dropFirst(4)) : nil
}
