import Explorer
import Interlock
import StressRunner

/// Formats the outcome of an exploration; the text is not escaped.
enum ExplorationFormatter {
  /// `all 6 orders`, `5120 orders sampled`, `order 2`.
  static func count(_ outcome: ExplorationOutcome, _ trial: Trial) -> String {
    switch outcome {
    case .allOrdersPass(let count, _, _): all(count, trial)
    case .sampled(let count, _, _): "\(orders(count)) sampled"
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

  /// What an exploration without a failure shows, and for which model.
  static func claim(_ record: ExplorationRecord, _ trial: Trial) -> String {
    let claim = claim(record.outcome, trial)
    guard let reason = record.orderUnknown else { return claim }
    return claim + "; races of sections that do not overlap are not decided: \(reason)"
  }

  private static func claim(_ outcome: ExplorationOutcome, _ trial: Trial) -> String {
    switch outcome {
    case .allOrdersPass(let count, let leftBehind, let limits):
      if count == 0 { return "\(all(count, trial)): the other parts have them" }
      return "\(all(count, trial)) of the controlled calls pass\(count == 1 ? "es" : "");"
        + " atomics, Mutex and memory accesses are not controlled"
        + limits.words.map { "; " + $0 }.joined() + stillBlocked(leftBehind)
    case .sampled(let count, let leftBehind, let escaped):
      let doors = escaped.isEmpty ? "" : "; not controlled: " + escaped.joined(separator: ", ")
      let found =
        trial.explore?.token == nil
        ? "\(orders(count)) sampled, none failed; not every order was executed"
        : "the order of the token does not fail"
      return found + doors + stillBlocked(leftBehind)
    case .failed: return ""
    }
  }

  /// How the shortest order that was found fails, in one line.
  static func failure(
    _ failure: ExplorationFailure, _ oracles: [Observation.OracleFailure]
  ) -> String {
    guard failure.verdict == .failed, let oracle = oracles.first else { return failure.headline }
    let more = oracles.count > 1 ? " (and \(oracles.count - 1) more)" : ""
    return "\(oracle.oracle.rawValue): \(oracle.evidence)\(more); \(failure.headline)"
  }

  /// The sides of a race or the cause of a deadlock, then the steps of the order as a table with a
  /// column for each thread, and what each blocked thread waits for. A list of runs of steps,
  /// where a table would be too wide to read.
  static func schedule(_ failure: ExplorationFailure) -> [String] {
    let table = failure.order
    let isNarrow = (table.map(\.count).max() ?? 0) <= widestTable
    return failure.evidence + (isNarrow ? table : runs(failure.schedule))
  }

  /// The widest table that is shown, in columns.
  private static let widestTable = 160
  /// The most runs of steps that are shown: half of them from the begin, the others from the end.
  private static let mostRuns = 40

  /// A line for each run of equal steps of one thread, then one for each place where threads wait.
  private static func runs(_ schedule: Schedule) -> [String] {
    var runs: [(first: Int, last: Int, step: Schedule.Step)] = []
    for (index, step) in schedule.steps.enumerated() {
      if let run = runs.last, run.step.thread == step.thread,
        Schedule.text(run.step) == Schedule.text(step)
      {
        runs[runs.count - 1].last = index
      } else {
        runs.append((index, index, step))
      }
    }
    let names = schedule.steps.map { Schedule.name($0.thread).count }.max() ?? 0
    let number = 2 * String(schedule.steps.count).count + 3
    func line(_ run: (first: Int, last: Int, step: Schedule.Step)) -> String {
      let count = run.last - run.first + 1
      let steps = count == 1 ? "\(run.first + 1)" : "\(run.first + 1) to \(run.last + 1)"
      return steps.padded(to: number) + "  " + Schedule.name(run.step.thread).padded(to: names)
        + "  " + Schedule.text(run.step) + (count == 1 ? "" : ", \(count) times")
    }
    var lines = runs.map(line)
    if lines.count > mostRuns {
      let left = lines.count - mostRuns
      lines =
        lines.prefix(mostRuns / 2) + ["… \(left) more …"] + lines.suffix(mostRuns / 2)
    }
    guard !schedule.blocked.isEmpty else { return lines }
    return lines + ["no thread can continue:"] + waits(schedule).map { "  " + $0 }
  }

  /// A line for each operation and place that threads wait at.
  static func waits(_ schedule: Schedule) -> [String] {
    var places: [String] = []
    var threads: [String: [Int]] = [:]
    for step in schedule.blocked {
      let text = step.place.map { "\(step.operation) at \($0)" } ?? step.operation
      if threads[text] == nil { places.append(text) }
      threads[text, default: []].append(step.thread)
    }
    return places.map { place in
      let waiting = threads[place] ?? []
      return waiting.count == 1
        ? "\(Schedule.name(waiting[0])) waits: \(place)" : "\(waiting.count) threads wait: \(place)"
    }
  }

  private static func orders(_ count: Int) -> String { "\(count) order\(count == 1 ? "" : "s")" }

  private static func stillBlocked(_ count: Int) -> String {
    count == 0
      ? "" : "; threads were still blocked at the end of the workload: \(count) in all orders"
  }
}
