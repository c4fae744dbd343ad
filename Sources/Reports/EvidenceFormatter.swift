import Interlock
package import StressRunner

/// The progress of a trial: the calls that completed, or the orders that were executed.
package func progressText(of result: TrialResult) -> String {
  let seen = result.observation
  if let record = seen.exploration {
    return ExplorationFormatter.count(record.outcome, result.trial)
  }
  return "\(seen.completed) of \(seen.operations) calls"
}

/// Formats the evidence in the same way for the terminal and the page; the text is not escaped.
enum EvidenceFormatter {
  /// `0 of 2 calls completed, 2 callers inside one, 1.09 s in all`, without the part that the
  /// message contains already.
  static func progress(of result: TrialResult) -> String {
    let seen = result.observation
    if let record = seen.exploration {
      return "\(secondsText(record.seconds)) of exploration, \(secondsText(seen.seconds)) in all"
    }
    var parts = VerdictMessage(result).hasProgress ? [] : [progressText(seen)]
    let inside = seen.callersInside
    if inside > 0 { parts.append("\(inside) caller\(inside == 1 ? "" : "s") inside one") }
    if seen.callersWaiting > 0 { parts.append("\(seen.callersWaiting) not begun") }
    parts.append("\(secondsText(seen.seconds)) in all")
    if let detection = seen.detectionSeconds {
      parts.append("judged \(secondsText(detection)) after the last progress")
    }
    return parts.joined(separator: ", ")
  }

  /// One line for each failed oracle, except the one in the message.
  static func oracles(of result: TrialResult) -> [String] {
    let said = VerdictMessage(result).failure
    return result.observation.oracleFailures.filter { $0 != said }
      .map { "\($0.oracle.rawValue): \($0.evidence)" }
  }

  /// At most eight samples, including the first and the last.
  static func threadCounts(_ counts: [Observation.ThreadCount]) -> String {
    let shown =
      counts.count <= 8 ? counts : (0..<8).map { counts[$0 * (counts.count - 1) / 7] }
    return shown.map { "\($0.threads) at \(secondsText($0.seconds))" }.joined(separator: ", ")
  }

  /// A conflict's two sides with their titles; only the known side, if no marked writer made the
  /// change.
  static func sides(_ conflict: Conflict) -> [(title: String, side: Conflict.Side)] {
    conflict.witness == nil
      ? [("first, in the section", conflict.first), ("second, at its begin", conflict.second)]
      : [("in the section, changed by unmarked code", conflict.first)]
  }
}
