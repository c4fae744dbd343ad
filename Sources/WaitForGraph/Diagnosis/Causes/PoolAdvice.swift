import Interlock

/// What would free a dry pool, here and on Apple's systems, and when the same code is safe.
struct PoolAdvice {
  let pool: DryPool
  let forecast: PoolForecast?
  let index: WaitIndex
  let words: Wording

  var lines: [String] {
    switch pool.kind {
    case .root(let root): rootLines(root)
    case .tasks(let queue): taskLines(queue)
    case .main:
      [
        "frees it: nothing; the main thread is one, here and everywhere",
        "safe when: the main thread does not wait for work that needs the main queue",
      ]
    case .serial(let queue):
      index.queueAt[queue].map { index.queues[$0].width == 1 } ?? true
        ? [
          "frees it: nothing; \(words.queue(queue)) runs one block at a time, here and everywhere",
          "safe when: a block does not wait for a later one of its own queue",
        ]
        : [
          "frees it: nothing; a barrier is alone on \(words.queue(queue)), here and everywhere",
          "safe when: nothing on the queue waits for what is queued behind a barrier",
        ]
    }
  }

  private func rootLines(_ root: WaitIndex.ObjectID) -> [String] {
    let isOvercommit = index.queueAt[root].map { index.queues[$0].isOvercommit } ?? false
    let most = isOvercommit ? WaitIndex.largestPool : index.largestPlainPool
    let now = pool.threadCount
    let size = "(this pool: \(now) now, \(most) at most)"
    var lines: [String] = []
    if let forecast {
      let ahead = forecast.needed - forecast.threads - 1
      let blocks =
        "\(Counted.noun(ahead, "block")) that will wait, too, \(ahead == 1 ? "is" : "are")"
      let more =
        ahead > 0
        ? "\(blocks) queued first, so it needs \(Counted.noun(forecast.needed, "thread"))"
        : "one more thread"
      lines += ["frees it: \(more) \(size)", Self.outlook(forecast)]
    } else {
      lines.append("frees it: more threads \(size)")
      lines.append(
        isOvercommit || now >= most
          ? "here: never, this pool does not grow any more"
          : "here: it gets one thread more a second while all wait")
    }
    lines.append(
      "safe when: the synchronous call does not need a second thread of the pool it runs on")
    return lines
  }

  /// `completes here after about 6 s, and within Apple's limit of 64 threads`.
  private static func outlook(_ forecast: PoolForecast) -> String {
    let seconds = Counted.number(forecast.seconds)
    let limit = "Apple's limit of \(forecast.mostOnApple) threads"
    switch (forecast.completesHere, forecast.completesOnApple) {
    case (true, true): return "completes here after about \(seconds) s, and within \(limit)"
    case (true, false): return "completes here after about \(seconds) s, never within \(limit)"
    case (false, true): return "never completes here, but within \(limit)"
    case (false, false): return "never completes here, nor within \(limit)"
    }
  }

  private func taskLines(_ queue: WaitIndex.ObjectID) -> [String] {
    let width = index.queueAt[queue].map { index.taskWidth(of: $0) } ?? index.snapshot.processors
    return [
      "frees it: nothing; the pool has one thread for each processor (\(width) for a priority) "
        + "and never grows, here and on Apple's systems",
      "safe when: a task does not block its thread to wait for another task, but awaits it",
    ]
  }
}
