/// `count-matches`: the subject's count equals the number of its entries.
///
/// - Returns: The evidence if they differ; otherwise `nil`.
func evidenceOfWrongCount(in state: FinalState) -> String? {
  guard state.count != state.entries.count else { return nil }
  return "at the end, the count was \(state.count), and there were \(state.entries.count) entries"
}
