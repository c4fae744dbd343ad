import Explorer
import Interlock
import StressRunner

/// Formats the outcome of an exploration; the text is not escaped.
enum ExplorationFormatter {
  /// `all 6 orders`, `5120 orders sampled`, `order 2`.
  static func count(_ outcome: ExplorationOutcome, _ trial: Trial) -> String {
    switch outcome {
    case .allOrdersPass(let count, _, _): all(count, trial)
    case .sampled(let count, _, _, _): "\(orders(count)) sampled"
    case .failed(let failure): "order \(failure.execution)"
    }
  }

  /// `all 6 orders`, `all 6 orders of part 2 of 4`.
  private static func all(_ count: Int, _ trial: Trial) -> String {
    let part = trial.explore?.options.part.map { " of \($0)" } ?? ""
    return switch count {
    case 0: "no order\(part)"
    case 1: "the only order\(part)"
    default: "all \(count) orders\(part)"
    }
  }

  /// The claim of an exploration without a failure, and the model it holds for.
  static func claim(_ record: ExplorationRecord, _ trial: Trial) -> String {
    var claim = claim(record.outcome, trial)
    if let reason = record.oneProcess { claim += "; in one process: \(reason)" }
    guard let reason = record.orderUnknown else { return claim }
    return claim + "; races of sections that do not overlap are not decided: \(reason)"
  }

  /// The sources of the orders, if requested.
  static func sources(_ record: ExplorationRecord?) -> [String] {
    guard let sources = record?.sources else { return [] }
    if sources.isEmpty { return ["most orders: no object is used in more than one order"] }
    return sources.map { "most orders: \($0)" }
  }

  private static func claim(_ outcome: ExplorationOutcome, _ trial: Trial) -> String {
    switch outcome {
    case .allOrdersPass(let count, let leftBehind, let limits):
      if count == 0 { return "\(all(count, trial)): the other parts have them" }
      return "\(all(count, trial)) of the controlled calls pass\(count == 1 ? "es" : "");"
        + (trial.checksMemory
          ? " atomics are not controlled in code without '-sanitize=thread'"
          : " atomics and memory accesses are not controlled")
        + limits.words.map { "; " + $0 }.joined() + stillBlocked(leftBehind)
    case .sampled(let count, let leftBehind, let escaped, let bound):
      let doors = escaped.isEmpty ? "" : "; not controlled: " + escaped.joined(separator: ", ")
      let found =
        trial.explore?.token == nil
        ? "\(orders(count)) sampled, none failed\(within(bound)); not every order was executed"
        : "the order of the token does not fail"
      return found + doors + stillBlocked(leftBehind)
    case .failed: return ""
    }
  }

  /// How the shortest failing order found fails, in one line.
  static func failure(
    _ failure: ExplorationFailure, _ oracles: [Observation.OracleFailure]
  ) -> String {
    guard failure.verdict == .failed, let oracle = oracles.first else { return failure.headline }
    let more = oracles.count > 1 ? " (and \(oracles.count - 1) more)" : ""
    return "\(oracle.oracle.rawValue): \(oracle.evidence)\(more); \(failure.headline)"
  }

  private static func orders(_ count: Int) -> String { "\(count) order\(count == 1 ? "" : "s")" }

  private static func within(_ bound: ExplorationBound?) -> String {
    bound.map { "; \($0.description) are among them" } ?? ""
  }

  private static func stillBlocked(_ count: Int) -> String {
    count == 0
      ? "" : "; threads were still blocked at the end of the workload: \(count) in all orders"
  }
}
