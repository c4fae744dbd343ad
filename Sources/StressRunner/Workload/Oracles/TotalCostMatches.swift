/// `total-cost-matches`: the subject's total cost equals the sum of its entries' costs.
///
/// - Returns: The evidence if they differ; `nil` also if the subject keeps no cost, which leaves
///   the oracle undecided.
func evidenceOfWrongTotalCost(in state: FinalState) -> String? {
  guard let totalCost = state.totalCost else { return nil }
  let sum = state.entries.values.reduce(0, +)
  guard totalCost != sum else { return nil }
  return "at the end, the total cost was \(totalCost), and the entries' costs added up to \(sum)"
}
