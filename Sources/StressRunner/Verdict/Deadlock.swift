import Interlock
import ProcessInspection
import WaitForGraph

/// Why a child that stalled cannot go on, from what was seen of it and nothing else.
struct Deadlock {
  /// The most threads that a pool of libdispatch has on Linux.
  private static let largestPool = 255

  private let observation: Observation
  /// Threads of a pool that are inside somebody's code, and wait.
  private let workers: [Observation.ThreadGroup]
  /// Those of them that run a Swift task.
  private let jobs: [Observation.ThreadGroup]
  private let stallStart: Double

  init(_ observation: Observation, in scenario: Scenario) {
    self.observation = observation
    workers = observation.threads.filter { group in
      group.state == "sleeping" && Self.isOfPool(group)
        && group.stack.contains { !$0.isPoolMachinery }
    }
    jobs = workers.filter { $0.stack.contains { $0.isTaskJob } }
    stallStart = observation.seconds - (observation.detectionSeconds ?? 0)
  }

  var verdict: Verdict {
    let (cause, why) = cause
    if let waits = observation.waits, let diagnosis = Diagnosis(of: waits),
      let graphs = Verdict.Cause(rawValue: diagnosis.cause.rawValue), graphs != .unknown,
      // Where code may run that was not seen, a guess by the graph is no better than one by threads
      // and pools.
      diagnosis.isCertain || !waits.isPartial || cause == .unknown
    {
      return Verdict(
        kind: .deadlock, cause: graphs, message: message + "; " + diagnosis.headline)
    }
    return Verdict(kind: .deadlock, cause: cause, message: message + "; " + why)
  }

  private var cause: (Verdict.Cause, String) {
    let blocked = workers.reduce(0) { $0 + $1.count }
    guard blocked > 0 else {
      return (.unknown, "no pool worker is among them, so the cause is undecided")
    }
    // A thread that waits for a lock waits for its holder, not for a pool: where all workers do,
    // more of them would not help.
    guard workers.contains(where: { !Self.waitsForLock($0) }) else {
      return (.unknown, "all pool workers wait for locks whose owners are not known")
    }
    let jobCount = jobs.reduce(0) { $0 + $1.count }
    if observation.processors > 0, jobCount >= observation.processors, isWorkWaiting {
      return (
        .starvation,
        "all \(jobCount) threads of the Swift task pool wait, and tasks are queued behind them"
      )
    }
    if blocked >= Self.largestPool {
      return (.starvation, "the Dispatch pool is at its limit, and all \(blocked) workers wait")
    }
    // The pool's monitor adds a worker only where work is queued and every worker waits.
    if let growth {
      return (
        .starvation,
        "the Dispatch pool grew by \(growth) since the last progress: work is queued behind the "
          + "\(blocked) workers that wait"
      )
    }
    return (.unknown, "\(blocked) pool workers wait, but no work was seen to be queued behind them")
  }

  /// Whether a caller has not begun, or not ended.
  private var isWorkWaiting: Bool {
    observation.callersWaiting > 0 || observation.callersInside > 0
  }

  /// By how many threads the child grew after the last progress; `nil` for none.
  private var growth: Int? {
    // The pool's first worker may come with the stall: what was there a moment later counts.
    guard let before = observation.threadCounts.last(where: { $0.seconds <= stallStart + 0.5 }),
      let last = observation.threadCounts.last, last.threads > before.threads
    else { return nil }
    return last.threads - before.threads
  }

  /// By its stack, or, where that has no names, by the name that libdispatch gives its threads.
  private static func isOfPool(_ group: Observation.ThreadGroup) -> Bool {
    group.stack.contains { $0.isPoolWorker || $0.isTaskJob }
      || group.name.hasSuffix("-qos") || group.name.hasSuffix("-qos.overcommit")
      || group.name.hasPrefix("DispatchWorker")
  }

  private static func waitsForLock(_ group: Observation.ThreadGroup) -> Bool {
    // The first frames are the C library's; the wait is named before somebody's own code begins.
    group.stack.prefix { $0.isSystem }.contains(where: \.isLockWait)
  }

  private var message: String {
    let total = observation.threads.reduce(0) { $0 + $1.count }
    var text = Judge.progress(observation)
    if let detection = observation.detectionSeconds {
      text += ", then none for \(Judge.seconds(detection))"
    }
    if observation.completed >= observation.operations {
      text += ", but the workload has not ended"
    }
    text += total == 1 ? "; its one thread is blocked" : "; all \(total) threads are blocked"
    if let growth = threadGrowth { text += " (\(growth))" }
    if let most = userWait { text += "; \(most)" }
    return text
  }

  /// "5 → 7 threads in 2.1 s, one more a second".
  private var threadGrowth: String? {
    guard let before = observation.threadCounts.last(where: { $0.seconds <= stallStart + 0.5 }),
      let last = observation.threadCounts.last, last.threads > before.threads,
      let detection = observation.detectionSeconds, detection > 0
    else { return nil }
    let rate = Double(last.threads - before.threads) / detection
    let pace = (0.3...1.3).contains(rate) ? ", one more a second" : ""
    return "\(before.threads) → \(last.threads) threads in \(Judge.seconds(detection))\(pace)"
  }

  /// Where most threads wait, by the first frame that is the user's.
  private var userWait: String? {
    var counts: [StackFrame: Int] = [:]
    for group in observation.threads {
      guard var frame = group.stack.first(where: { !$0.isSystem && $0.function != nil }) else {
        continue
      }
      // The same line may be at several addresses.
      if frame.file != nil { frame.address = 0 }
      counts[frame, default: 0] += group.count
    }
    let most = counts.max { ($0.value, $1.key.description) < ($1.value, $0.key.description) }
    return most.map { "\($0.value) of them \($0.value == 1 ? "waits" : "wait") in \($0.key)" }
  }
}
