/// `nothing-lost`, at rest: every key that was stored and never removed is present.
///
/// - Returns: The missing keys, as evidence; `nil` if none is missing.
func evidenceOfLoss(in state: FinalState, certainKeys: CertainKeys) -> String? {
  let missing = certainKeys.all.filter { state.entries["key-\($0)"] == nil }
  guard let first = missing.first else { return nil }
  let more = missing.count > 1 ? ", and \(missing.count - 1) more" : ""
  return "at the end, key-\(first) was not there\(more): stored, and never removed"
}
