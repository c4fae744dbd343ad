import Explorer

extension TrialResult {
  /// Combines the results of a trial whose parts were explored by several machines; `nil` without
  /// parts.
  ///
  /// A part that did not pass decides, preferably one with a failing order. The parts cover every
  /// order only if each part covers all of its orders, and if all parts divided the same orders.
  package init?(parts: [TrialResult]) {
    let failed = parts.first { if case .explored = $0.verdict { true } else { false } }
    guard
      var result = failed ?? parts.first(where: { $0.verdict.kind != .passed }) ?? parts.first
    else { return nil }
    result.trial.explore?.options.part = nil
    result.observation.seconds = parts.reduce(0) { $0 + $1.observation.seconds }
    let records = parts.compactMap(\.observation.exploration)
    result.observation.exploration?.seconds = records.reduce(0) { $0 + $1.seconds }
    if result.verdict.kind == .passed, records.count == parts.count {
      result.observation.exploration?.outcome = Self.sum(records)
      result.observation.exploration?.facts = nil
    }
    self = result
  }

  private static func sum(_ records: [ExplorationRecord]) -> ExplorationOutcome {
    var orders = 0
    var blocked = 0
    var limits = ExplorationLimits()
    var isFinished = Set(records.map(\.facts)).count == 1
    var escaped = Set(isFinished ? [] : ["what only some of the parts have shown"])
    for record in records {
      switch record.outcome {
      case .allOrdersPass(let count, let leftBehind, let own):
        orders += count
        blocked += leftBehind
        limits.formUnion(own)
      case .sampled(let count, let leftBehind, let doors, _):
        orders += count
        blocked += leftBehind
        escaped.formUnion(doors)
        isFinished = false
      case .failed: isFinished = false
      }
    }
    if isFinished { return .allOrdersPass(count: orders, leftBehind: blocked, limits: limits) }
    return .sampled(count: orders, leftBehind: blocked, escaped: escaped.sorted())
  }
}
