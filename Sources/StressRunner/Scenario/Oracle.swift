/// A check of the subject after, or during, a trial.
package enum Oracle: String, Sendable, Hashable, CaseIterable, Codable {
  /// Every accepted call completes exactly once.
  case completesOnce = "completes-once"
  /// A value read under a key is the whole value that the workload stores under that key.
  case valuesIntact = "values-intact"
  /// The subject's count is the number of its entries.
  case countMatches = "count-matches"
  /// The subject's total cost is the sum of its entries' costs.
  case totalCostMatches = "total-cost-matches"
  /// Every key that was set and not removed since is present at the end (a workload of sets and
  /// gets).
  case nothingLost = "nothing-lost"
  /// A read is not older than the last write that had completed before the read began. No value is
  /// read after a completed remove.
  case readsFresh = "reads-fresh"
  /// Every other sum that the subject keeps equals the recount.
  case totalsMatch = "totals-match"
  /// The subject's index, dictionary, list, … hold the same keys.
  case indexesAgree = "indexes-agree"
  /// Two layers (memory, disk) that hold the same key hold the same value.
  case layersAgree = "layers-agree"
  /// No quantity is above its limit at rest.
  case limitsHold = "limits-hold"
  /// Each announcement (`will`) has its completion (`did`), and each completion its announcement.
  case eventsPaired = "events-paired"
  /// No request's callback is called after its `cancel()` has returned.
  case silentAfterCancel = "silent-after-cancel"
  /// No call reports that a check inside the call failed. Checked in every scenario.
  case checksHold = "checks-hold"
  /// No call is held up while more than `overtakes` other calls begin and complete.
  case holdUpBounded = "hold-up-bounded"
}
