import Reports
import StressRunner
import Hangs

/// A drawing of a pool whose threads all wait, with the blocks queued behind them.
struct StarvationPicture {
  /// A line for the threads, and a line for each part of the queue.
  let lines: [String]

  /// Draws the pool of a trial; `nil` if the blocks that starve it are unknown.
  init?(_ result: TrialResult) {
    guard let diagnosis = result.verdict.diagnosis, case .starvation(let pool) = diagnosis.evidence,
      diagnosis.isCertain, let needed = pool.needed
    else { return nil }
    self.init(pool, needed)
  }

  /// Draws a pool that starves the needed blocks.
  init(_ pool: Diagnosis.Starvation, _ needed: Diagnosis.Starvation.NeededBlocks) {
    let waiting = pool.workers.count
    let ahead = needed.ahead
    let blocks = needed.count == 1 ? "block" : "blocks"
    let label = ["\(pool.threads) threads", "queued"]
    let width = label.map(\.count).max() ?? 0
    let most = max(waiting, ahead, needed.count, 1)
    func line(_ label: String, _ mark: String, _ count: Int, _ text: String) -> String {
      let bar = String(repeating: mark, count: max(1, (count * 32 + most - 1) / most))
      return label + String(repeating: " ", count: width - label.count + 2) + bar + "  " + text
    }
    let wait = "\(waiting) wait for the \(blocks) at the end of the queue"
    var lines = [line(label[0], "█", waiting, wait)]
    if ahead > 0 { lines.append(line(label[1], "░", ahead, "\(ahead) blocks are ahead of them")) }
    let none = needed.count == 1 ? "gets none" : "get none"
    lines.append(
      line(
        ahead > 0 ? "" : label[1], "▒", needed.count,
        "\(needed.count) \(blocks) that would wake the threads, and \(none)"))
    self.lines = lines
  }
}
