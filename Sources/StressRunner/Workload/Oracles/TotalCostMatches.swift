/// `total-cost-matches`: the subject's total cost is the sum of its entries' costs.
///
/// - Returns: What was found, where it is not; `nil` too where the subject keeps no cost, which is
///   undecided.
func evidenceOfWrongTotalCost(in state: FinalState) -> String? {
  guard let totalCost = state.totalCost else { return nil }
  let sum = state.entries.values.reduce(0, +)
  guard totalCost != sum else { return nil }
  return "at the end, the total cost was \(totalCost), and the entries' costs added up to \(sum)"
}
