import Interlock
import Hangs

extension CauseFormatter {
  /// The most queues, and the most different waits, with a line of their own.
  private static let mostQueues = 3
  private static let mostWaits = 4

  func starvation(_ pool: Diagnosis.Starvation) -> Lines {
    var details = queueLines(pool) + workerLines(pool)
    details += chainLines(pool.chain, endingWith: pool.innermost)
    if let needed = pool.needed { details.append(line(of: needed, pool)) }
    let others = pool.otherPools
    if others > 0 {
      details.append(
        "\(Counted.noun(others, "other queue")) or "
          + "\(others == 1 ? "pool waits" : "pools wait") in the same way")
    }
    return (headline(pool), details)
  }

  private func headline(_ pool: Diagnosis.Starvation) -> String {
    let isOne = pool.workers.count == 1
    let behind =
      pool.needed?.isOwn ?? false
      ? (isOne
        ? "what it waits for is queued behind it" : "what they wait for is queued behind them")
      : "\(Counted.noun(pool.queued, "block")) \(pool.queued == 1 ? "is" : "are") queued behind "
        + (isOne ? "it" : "them")
    switch pool.pool {
    case .root(let root): return threads(pool, of: "the " + names.pool(root)) + behind
    case .tasks: return threads(pool, of: "the Swift task pool") + behind
    case .main: return "the main thread waits, and " + behind
    case .queue(let queue):
      return isOne
        ? "the thread on \(names.queue(queue)) waits, and \(behind)"
        : threads(pool, of: names.queue(queue)) + behind
    }
  }

  private func threads(_ pool: Diagnosis.Starvation, of name: String) -> String {
    "\(pool.workers.count) of \(Counted.noun(pool.threads, "thread")) of \(name) wait, and "
  }

  /// `996 blocks queued on "test queue"; 4 running, each waits for a semaphore TMCache.swift:61
  /// get(_:)`.
  private func queueLines(_ pool: Diagnosis.Starvation) -> [String] {
    let left = pool.queues.count - Self.mostQueues
    return pool.queues.prefix(Self.mostQueues).map { line(ofQueue: $0, pool) }
      + (left > 0 ? ["… and blocks on \(left) more queues"] : [])
  }

  private func line(ofQueue id: WaitIndex.ObjectID, _ pool: Diagnosis.Starvation) -> String {
    let number = index.queueAt[id]
    let queue = number.map { index.queues[$0] }
    let noun = queue?.blocks.first?.isJob ?? false ? "job" : "block"
    var line = "\(Counted.noun(queue?.queued ?? 0, noun)) queued on \(names.quotedQueue(id))"
    if let number, id != pool.needed?.queue { line += parenthesis(queueKind: number) }
    let running = pool.workers.compactMap(thread).filter { thread in
      thread.runs.contains { $0.queue == id }
    }
    if running.isEmpty { return line }
    line += "; \(running.count) running"
    // Show the threads' wait only if all have the same.
    let waits = Set(running.compactMap { $0.wait.map(Self.text) })
    if waits.count == 1, let wait = waits.first {
      line += ", \(running.count == 1 ? "which" : "each") " + wait
    }
    return line
  }

  /// ` (concurrent, default pool)`; empty if the kind is unknown.
  private func parenthesis(queueKind number: Int) -> String {
    let kind = names.queueKind(number)
    return kind.isEmpty ? "" : " (\(kind))"
  }

  /// The pool's threads that run no block of a queue with a line of its own.
  private func workerLines(_ pool: Diagnosis.Starvation) -> [String] {
    let shown = Set(pool.queues.prefix(Self.mostQueues))
    let texts = pool.workers.compactMap(thread).compactMap { thread -> String? in
      guard !thread.runs.contains(where: { shown.contains($0.queue) }), let wait = thread.wait
      else { return nil }
      let run = thread.runs.last.map { " on \(names.queue($0.queue))," } ?? ""
      return run + " " + Self.text(wait)
    }
    let lines = Self.counted(texts).map { "\(Counted.noun($0.count, "thread"))\($0.text)" }
    guard lines.count > Self.mostWaits else { return lines }
    return lines.prefix(Self.mostWaits) + ["… and \(lines.count - Self.mostWaits) more waits"]
  }

  /// `waits for a semaphore  TMCache.swift:61  get(_:)`.
  private static func text(_ wait: WaitSnapshot.Wait) -> String {
    SnapshotNames.waiting(wait.kind) + (PlaceText.place(wait.place).map { "  " + $0 } ?? "")
  }

  /// `each waits for a block queued on "cache" (serial), position 7`.
  private func line(
    of needed: Diagnosis.Starvation.NeededBlocks, _ pool: Diagnosis.Starvation
  ) -> String {
    let first = Counted.number(needed.ahead + 1)
    let position =
      needed.count > 1
      ? ", positions \(first) and after" : needed.ahead > 0 ? ", position \(first)" : ""
    return "\(subject(of: needed, pool)) for a block queued on \(names.quotedQueue(needed.queue))"
      + (index.queueAt[needed.queue].map(parenthesis) ?? "") + position
  }

  private func subject(
    of needed: Diagnosis.Starvation.NeededBlocks, _ pool: Diagnosis.Starvation
  ) -> String {
    let count = needed.waiters.count
    if !needed.isOwn {
      return count == 1
        ? "\(names.party(needed.waiters[0])) waits"
        : "\(Counted.noun(count, "other thread")) wait"
    }
    if pool.workers.count == 1 { return "it waits" }
    if count == 1, !needed.hasMoreWaiters { return "one of them waits" }
    return count == pool.workers.count || needed.hasMoreWaiters
      ? "each waits" : "\(Counted.number(count)) of them wait"
  }
}
