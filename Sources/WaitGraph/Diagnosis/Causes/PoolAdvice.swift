import Interlock

/// What would free a pool that is dry, here and on Apple's systems, and when the same code is safe.
struct PoolAdvice {
  let pool: DryPool
  let index: WaitIndex
  let words: Wording

  /// The most threads of Apple's pools. The plain ones share one limit: `bsd/pthread/pthread_workqueue.c` in xnu.
  private static let appleOvercommit = 512
  private var applePlain: Int { max(64, 5 * index.snapshot.processors) }

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

  /// How many threads the pool must have before what is waited for begins; `nil` where it is not known what that is.
  ///
  /// The threads that wait, one for each block that is queued earlier from the same place and will wait, too, and one
  /// for the block itself.
  var threadsNeeded: Int? {
    guard let needed = pool.needed else { return nil }
    let places = Set(
      pool.workers.flatMap { index.threads[$0].runs.map(\.place) }.filter { !$0.isEmpty })
    var ahead = 0
    for queue in pool.queues {
      for blocks in index.queues[queue].blocks where blocks.ahead < needed.blocks.ahead {
        guard places.isEmpty || places.contains(blocks.place) else { continue }
        ahead += min(blocks.count, needed.blocks.ahead - blocks.ahead)
      }
    }
    return pool.threadCount + min(ahead, needed.blocks.ahead) + 1
  }

  private func rootLines(_ root: WaitIndex.ObjectID) -> [String] {
    let isOvercommit = index.queueAt[root].map { index.queues[$0].isOvercommit } ?? false
    let most = WaitIndex.largestPool
    let now = pool.threadCount
    let size = "(this pool: \(now) now, \(most) at most)"
    var lines: [String] = []
    if let needed = threadsNeeded {
      let more =
        needed - now > 1
        ? "one more thread at a time gives one more waiter; needs \(Counted.noun(needed, "thread")) "
        : "one more thread "
      lines.append("frees it: \(more)\(size)")
      lines.append(outlook(needed, isOvercommit: isOvercommit))
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

  /// `completes here after about 6 s; at once on Apple's (64 threads)`.
  private func outlook(_ needed: Int, isOvercommit: Bool) -> String {
    let more = needed - pool.threadCount
    let here =
      needed > WaitIndex.largestPool || isOvercommit
      ? "never completes here" : "completes here after about \(Counted.number(more)) s"
    let limit = isOvercommit ? Self.appleOvercommit : applePlain
    let there =
      needed > limit
      ? "never on Apple's pool of \(limit)" : "at once on Apple's (\(limit) threads)"
    return "\(here), \(there)"
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
