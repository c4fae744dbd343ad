import Foundation

extension Ledger {
  /// Asks the oracles that look at a subject's state at rest, but those of values and loss.
  ///
  /// - Parameters:
  ///   - state: What the subject says.
  ///   - name: What a value of a key is called in evidence.
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

/// Asks a subject for its state, on a thread of its own.
func finalState(of subject: any Subject) -> FinalState? {
  let answer = Answer()
  DedicatedThread { answer.state = subject.finalState() }.join()
  return answer.state
}

/// What one thread hands to another.
///
/// `@unchecked Sendable`: written before the thread ends, read after it was joined.
private final class Answer: @unchecked Sendable {
  var state: FinalState?
}

/// The number of a key, by its name.
func keyNumber(of name: String) -> Int? {
  name.hasPrefix("key-") ? Int(name.dropFirst(4)) : nil
}
