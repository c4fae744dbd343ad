import Interlock

extension Finder {
  /// A dry pool; of several, the one that explains most.
  ///
  /// - Parameter isTold: Whether serial queues count only where a thread is known to wait for a
  ///   block behind it.
  /// - Returns: `nil` if no pool is dry.
  func starvation(isTold: Bool) -> Finding? {
    let chains = WaitChains(liveness)
    // Blocks that no thread is known to wait for are no cause if their thread waits for what
    // another holds.
    let pools = DryPool.all(liveness).filter {
      $0.isTold || !isTold && $0.workers.contains(where: chains.isInnermost)
    }
    guard let pool = pools.first else { return nil }
    var result = finding(.starvation, headline(pool))
    result.details = blockLines(pool) + waiterLines(pool)
    if pool.workers.count == 1 { result.details += chainLines(from: pool.workers[0], chains) }
    if let line = neededLine(pool) { result.details.append(line) }
    let others = pools.count - 1
    if others > 0 {
      result.details.append(
        "\(Counted.noun(others, "other queue")) or"
          + " \(others == 1 ? "pool stands" : "pools stand") so, too")
    }
    result.pool = PoolForecast(pool, liveness)
    result.advice = PoolAdvice(pool: pool, forecast: result.pool, index: index, words: words).lines
    result.markedThreads = Set(pool.workers)
    result.markedObjects = Set(pool.queues.map { index.queues[$0].id })
    switch pool.kind {
    case .root(let id), .tasks(let id), .serial(let id): result.markedObjects.insert(id)
    case .main:
      for queue in index.queues where queue.isMain { result.markedObjects.insert(queue.id) }
    }
    return result
  }

  private func headline(_ pool: DryPool) -> String {
    let waiting = pool.workers.count
    let behind =
      pool.needed?.isOwn ?? false
      ? (waiting == 1
        ? "what it waits for is queued behind it" : "what they wait for is queued behind them")
      : "\(Counted.noun(pool.queued, "block")) \(pool.queued == 1 ? "is" : "are") queued behind "
        + (waiting == 1 ? "it" : "them")
    switch pool.kind {
    case .root(let root):
      return threads(pool, of: "the " + words.pool(root)) + " wait, and " + behind
    case .tasks: return threads(pool, of: "the Swift task pool") + " wait, and " + behind
    case .main: return "the main thread waits, and " + behind
    case .serial(let queue):
      if waiting == 1 { return "the thread on \(words.queue(queue)) waits, and \(behind)" }
      return threads(pool, of: words.queue(queue)) + " wait, and " + behind
    }
  }

  private func threads(_ pool: DryPool, of name: String) -> String {
    "\(pool.workers.count) of \(Counted.noun(pool.threadCount, "thread")) of \(name)"
  }

  /// `996 blocks queued on "test queue"; 4 running, each waits for a semaphore TMCache.swift:61
  /// get(_:)`.
  private func blockLines(_ pool: DryPool) -> [String] {
    pool.queues.prefix(3).map { number in
      let queue = index.queues[number]
      let noun = queue.blocks.first?.isJob ?? false ? "job" : "block"
      var line = "\(Counted.noun(queue.queued, noun)) queued on \(words.quotedQueue(queue.id))"
      let kind = words.queueKind(number)
      if !kind.isEmpty, number != pool.needed?.queue { line += " (\(kind))" }
      let running = pool.workers.filter { thread in
        index.threads[thread].runs.contains { $0.queue == queue.id }
      }
      if let wait = Self.commonWait(of: running, index) {
        line += "; \(running.count) running, \(running.count == 1 ? "which" : "each") " + wait
      } else if !running.isEmpty {
        line += "; \(running.count) running"
      }
      return line
    } + (pool.queues.count > 3 ? ["… and blocks on \(pool.queues.count - 3) more queues"] : [])
  }

  /// The threads of the pool that run no block of a queue with a line of its own.
  private func waiterLines(_ pool: DryPool) -> [String] {
    let told = Set(pool.queues.prefix(3).map { index.queues[$0].id })
    var kinds: [String: Int] = [:]
    var order: [String] = []
    for thread in pool.workers
    where !index.threads[thread].runs.contains(where: { told.contains($0.queue) }) {
      guard let wait = index.threads[thread].wait else { continue }
      let run = index.threads[thread].runs.last.map { " on \(words.queue($0.queue))" } ?? ""
      let line = "\(run)\(run.isEmpty ? "" : ",") " + Self.text(wait)
      if kinds[line] == nil { order.append(line) }
      kinds[line, default: 0] += 1
    }
    let lines = order.sorted { (-(kinds[$0] ?? 0), $0) < (-(kinds[$1] ?? 0), $1) }.map { line in
      let count = kinds[line] ?? 0
      return "\(Counted.noun(count, "thread"))\(line)"
    }
    guard lines.count > 4 else { return lines }
    return lines.prefix(4) + ["… and \(lines.count - 4) more waits"]
  }

  /// `waits for a semaphore  TMCache.swift:61  get(_:)`.
  private static func text(_ wait: WaitSnapshot.Wait) -> String {
    Wording.waiting(wait.kind) + (Wording.place(wait.place).map { "  " + $0 } ?? "")
  }

  /// What the threads do if all do the same; `nil` otherwise.
  private static func commonWait(of threads: [Int], _ index: WaitIndex) -> String? {
    let texts = Set(threads.compactMap { index.threads[$0].wait.map(text) })
    return texts.count == 1 ? texts.first : nil
  }

  private func neededLine(_ pool: DryPool) -> String? {
    guard let needed = pool.needed else { return nil }
    let count = needed.waiters.count
    let who: String
    if !needed.isOwn {
      who =
        count == 1
        ? "\(words.thread(needed.waiters[0])) waits" : "\(Counted.noun(count, "other thread")) wait"
    } else if pool.workers.count == 1 {
      who = "it waits"
    } else {
      // If many threads have enqueued blocks, the table does not have all of them.
      who =
        count == pool.workers.count || needed.blocks.enqueuedBy.count >= 256
        ? "each waits" : "\(Counted.number(count)) of them wait"
    }
    let kind = words.queueKind(needed.queue)
    let ordinal =
      needed.blocks.count > 1
      ? "positions \(Counted.number(needed.blocks.ahead + 1)) and after"
      : "position \(Counted.number(needed.blocks.ahead + 1))"
    let position = needed.blocks.ahead > 0 || needed.blocks.count > 1 ? ", " + ordinal : ""
    return "\(who) for a block queued on \(words.quotedQueue(index.queues[needed.queue].id))"
      + (kind.isEmpty ? "" : " (\(kind))") + position
  }
}
