/// `values-intact`: a read returned the whole value that the workload stores under that key.
///
/// - Returns: The evidence if the read returned something else; `nil` otherwise, and if nothing
///   was read.
func evidenceOfBrokenValue(
  in reply: Reply, to call: WorkloadPlan.Call, pattern: ValuePattern
) -> String? {
  guard call.kind.reads else { return nil }
  let name = "a \(call.kind.rawValue) of key-\(call.key)"
  guard case .value(let read) = reply else {
    return "\(name) returned neither a value nor nil"
  }
  guard let read, !pattern.isValue(read, ofKey: call.key) else { return nil }
  return "\(name) returned \(read.count) bytes that are not its value"
}

/// `values-intact`, at rest: each key holds the value that the workload stores under it.
func evidenceOfBrokenValue(in state: FinalState, pattern: ValuePattern, keys: Int) -> String? {
  let broken = state.values.keys.sorted().first { name in
    guard let value = state.values[name] else { return false }
    guard let key = keyNumber(of: name), key < keys else { return true }
    return !pattern.isValue(value, ofKey: key)
  }
  guard let broken else { return nil }
  let bytes = state.values[broken]?.count ?? 0
  return "at the end, \(broken) held \(bytes) bytes that are not its value"
}
