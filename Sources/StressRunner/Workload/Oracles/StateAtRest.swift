/// `totals-match`: every sum that the subject keeps equals the recount.
///
/// - Returns: The first sum that differs, as evidence.
func evidenceOfWrongTotal(in state: FinalState) -> String? {
  state.totals.first { $0.claimed != $0.counted }.map {
    "at the end, \($0.name) was \($0.claimed), and counting gave \($0.counted)"
  }
}

/// `indexes-agree`: the subject's structures hold the same keys.
///
/// - Returns: A key that one structure has and another lacks, as evidence.
func evidenceOfDisagreement(in state: FinalState) -> String? {
  let indexes = state.indexes.sorted { $0.key < $1.key }
  guard let first = indexes.first else { return nil }
  for (name, keys) in indexes.dropFirst() where keys != first.value {
    if let key = keys.subtracting(first.value).min() {
      return "at the end, \(name) had \(key), and \(first.key) had not"
    }
    if let key = first.value.subtracting(keys).min() {
      return "at the end, \(first.key) had \(key), and \(name) had not"
    }
  }
  return nil
}

/// `layers-agree`: two layers that hold the same key hold the same value.
///
/// - Returns: The first key with two values, as evidence.
func evidenceOfDifferentLayers(
  in state: FinalState, naming name: (_ key: String, _ bytes: [UInt8]) -> String
) -> String? {
  let layers = state.layers.sorted { $0.key < $1.key }
  for (index, upper) in layers.enumerated() {
    for lower in layers.dropFirst(index + 1) {
      let common = upper.value.keys.filter { lower.value[$0] != nil }.sorted()
      for key in common where upper.value[key] != lower.value[key] {
        return "at the end, \(key) was \(name(key, upper.value[key] ?? [])) in \(upper.key) and"
          + " \(name(key, lower.value[key] ?? [])) in \(lower.key)"
      }
    }
  }
  return nil
}

/// `limits-hold`: no quantity is above its limit.
///
/// - Returns: The first quantity above its limit, as evidence.
func evidenceOfBrokenLimit(in state: FinalState) -> String? {
  state.limits.first { $0.value > $0.limit }.map {
    "at the end, \($0.name): \($0.value), and the limit was \($0.limit)"
  }
}

/// `events-paired`: each `will` is followed by its `did`, for the same act on the same key.
///
/// - Returns: The first event without a partner, as evidence.
func evidenceOfUnpairedEvent(in state: FinalState) -> String? {
  var open: [String: Int] = [:]
  for event in state.events {
    switch event {
    case .will(let act, let key):
      open["\(act) \(key)", default: 0] += 1
    case .did(let act, let key):
      let name = "\(act) \(key)"
      guard let count = open[name], count > 0 else {
        return "'did \(name)' was called, and 'will \(name)' was not"
      }
      open[name] = count - 1
    case .cancelled, .calledBack:
      break
    }
  }
  return open.filter { $0.value > 0 }.keys.min().map {
    "'will \($0)' was called, and 'did \($0)' never"
  }
}

/// `silent-after-cancel`: no request's callback is called after its `cancel()` has returned.
///
/// - Returns: The first callback after its cancellation, as evidence.
func evidenceOfCallAfterCancel(in state: FinalState) -> String? {
  var cancelled: Set<Int> = []
  for event in state.events {
    switch event {
    case .cancelled(let request): cancelled.insert(request)
    case .calledBack(let request) where cancelled.contains(request):
      return "request \(request) was called back after its cancel() had returned"
    case .calledBack, .will, .did: break
    }
  }
  return nil
}
