/// `count-matches`: the subject's count is the number of its entries.
///
/// - Returns: What was found, where it is not.
func evidenceOfWrongCount(in state: FinalState) -> String? {
  guard state.count != state.entries.count else { return nil }
  return "at the end, the count was \(state.count), and there were \(state.entries.count) entries"
}
