import HangReports
import Interlock
import ProcessInspection
import StressRunner
import Hangs

/// The message of a deadlock: the child's progress until the stall, and where and why its threads
/// wait.
enum DeadlockMessage {
  static func message(_ deadlock: Verdict.Deadlock, _ seen: Observation) -> String {
    var text = progressText(seen)
    if let detection = seen.detectionSeconds { text += ", then none for \(limitText(detection))" }
    if seen.completed >= seen.operations { text += ", but the workload has not ended" }
    let total = seen.threads.reduce(0) { $0 + $1.count }
    text += total == 1 ? "; its one thread is blocked" : "; all \(total) threads are blocked"
    if let growth = growth(seen) { text += " (\(growth))" }
    if let place = place(seen) { text += "; \(place)" }
    return text + "; " + reason(deadlock, seen)
  }

  private static func reason(_ deadlock: Verdict.Deadlock, _ seen: Observation) -> String {
    switch deadlock {
    case .graph(let diagnosis): Explanation.headline(diagnosis, of: seen.waits ?? WaitSnapshot())
    case .pools(.noWorkers, _): "no pool worker is among them, so the cause is undecided"
    case .pools(.lockWaits, _): "all pool workers wait for locks whose owners are not known"
    case .pools(.taskPoolFull(let threads), _):
      "all \(threads) threads of the Swift task pool wait, and tasks are queued behind them"
    case .pools(.dispatchPoolFull(let workers), _):
      "the Dispatch pool is at its limit, and all \(workers) workers wait"
    case .pools(.dispatchPoolGrew(let growth, let workers), _):
      "the Dispatch pool grew by \(growth) since the last progress: work is queued behind the "
        + "\(workers) workers that wait"
    case .pools(.nothingQueued(let workers), _):
      "\(workers) pool workers wait, but no work was seen to be queued behind them"
    }
  }

  /// `5 → 7 threads in 2.1 s, one more a second`
  private static func growth(_ seen: Observation) -> String? {
    guard let growth = seen.stallGrowth, let detection = seen.detectionSeconds, detection > 0
    else { return nil }
    let rate = Double(growth.threads) / detection
    let pace = (0.3...1.3).contains(rate) ? ", one more a second" : ""
    return "\(growth.before) → \(growth.before + growth.threads) threads in"
      + " \(limitText(detection))\(pace)"
  }

  /// The place where most threads wait, by the first frame in user code. A thread that waits in the
  /// runner's code, like the main thread that serves its queue, does not count, even if a user's
  /// executable has called the runner.
  private static func place(_ seen: Observation) -> String? {
    var counts: [StackFrame: Int] = [:]
    for group in seen.threads {
      guard
        var frame = group.stack.first(where: {
          $0.isRunners || !$0.isSystem && $0.function != nil
        }), !frame.isRunners
      else { continue }
      // Compare without the address: one line may have several addresses.
      if frame.file != nil { frame.address = 0 }
      counts[frame, default: 0] += group.count
    }
    let most = counts.max { ($0.value, $1.key.description) < ($1.value, $0.key.description) }
    return most.map { "\($0.value) of them \($0.value == 1 ? "waits" : "wait") in \($0.key)" }
  }
}
