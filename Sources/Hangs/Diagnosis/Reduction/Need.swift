/// A dependency: an event that must happen before a thread or a queued block can continue.
enum Need {
  typealias Gate = Diagnosis.Gate

  /// Any thread or block continues: each of them could end the wait.
  case anything
  /// All of these threads continue; or one of them.
  case all(Gate, [Int])
  case one(Gate, [Int])
  /// The blocks queued on a queue begin.
  case blocks(Int)
  /// A pool has a thread for one more block.
  case pool(WaitSnapshot.ObjectID)

  /// The gate and its threads; `nil` for other dependencies.
  var gate: (Gate, [Int])? {
    switch self {
    case .all(let gate, let threads), .one(let gate, let threads): (gate, threads)
    default: nil
    }
  }
}

extension WaitIndex {
  /// The dependencies of a thread; empty if it can continue.
  func needs(of number: Int) -> [Need] {
    let thread = threads[number]
    guard let wait = thread.wait else {
      switch thread.elsewhere {
      case .running, .outside, .input: return []
      // An idle thread continues if another thread gives it work.
      case .idle, .listening, .unknown: return [.anything]
      }
    }
    if wait.hasTimeLimit { return [] }
    // Only code that runs elsewhere can still release the lock.
    if wait.kind.isLock, leavers[wait.object] != nil { return [.anything] }
    if wait.isApply {
      // The caller works too: it waits for the other threads only while it runs no part itself.
      if thread.runs.contains(where: { $0.isApply && $0.queue == wait.object }) { return [] }
      return [.all(.apply(wait.object), appliers[wait.object] ?? [])]
    }
    switch wait.kind {
    case .mutex, .swiftMutex, .initializer, .actor:
      return [holders[wait.object].map { .one(.lock(wait.object), $0) } ?? .anything]
    case .readLock: return [needToRead(wait.object)]
    case .writeLock:
      return [holders[wait.object].map { .all(.readersAndWriters(wait.object), $0) } ?? .anything]
    case .queue: return needs(ofCallOn: wait.object, isBarrier: wait.isBarrier)
    case .thread:
      let id = Int(truncatingIfNeeded: wait.object)
      return [threadAt[id].map { .one(.end(id), [$0]) } ?? .anything]
    case .task:
      let id = Int(bitPattern: wait.object)
      return [party(ofTask: wait.object).map { .one(.end(id), [$0]) } ?? .anything]
    case .taskGroup:
      // The group's scope ends when all of its tasks have ended. `next()` returns when one task has
      // ended, but a task that waits for the end of its own parent keeps the parent in that scope.
      return [groupTasks[wait.object].map { .all(.children(wait.object), $0) } ?? .anything]
    case .workItem:
      return [inWorkItem[wait.object].map { .one(.workItem(wait.object), $0) } ?? .anything]
    case .group:
      // A group is empty when all of its blocks have ended, running ones included, and every other
      // thread that entered the group has left it.
      return [members[wait.object].map { .all(.members(wait.object), $0) } ?? .anything]
    case .condition, .semaphore, .futex, .continuation, .stream: return [.anything]
    }
  }

  private func needToRead(_ object: ObjectID) -> Need {
    if let writers = writers[object] { return .one(.writers(object), writers) }
    // A lock that prefers writers keeps new readers out while a writer waits.
    if let waiters = writeWaiters[object] { return .one(.writeWaiters(object), waiters) }
    return .anything
  }

  private func needs(ofCallOn object: ObjectID, isBarrier: Bool) -> [Need] {
    guard let number = queueAt[object] else { return [.anything] }
    let queue = queues[number]
    if queue.isRoot { return [] }
    var needs = exclusion(of: number)
    let isConcurrent = queue.width > 1
    if isConcurrent, isBarrier, let runners = runners[object] {
      needs.append(.all(.runners(object), runners))
    }
    if queue.width == 0, occupants[object] != nil { needs.append(.anything) }
    if queue.queued > 0 { needs.append(.blocks(number)) }
    // No barrier runs and no block is queued: the call waits behind a barrier that waits itself.
    if needs.isEmpty, isConcurrent, !isBarrier, let waiters = barrierWaiters[object] {
      needs.append(.one(.barrierWaiters(object), waiters))
    }
    return needs
  }

  /// The dependencies that keep blocks from running on a queue or on its targets.
  private func exclusion(of number: Int) -> [Need] {
    var needs: [Need] = []
    for step in chains[number] where !queues[step].isRoot {
      let queue = queues[step]
      if queue.isSuspended { needs.append(.anything) }
      if queue.isMain, let threads = occupants[queue.id],
        !threads.contains(where: { $0 == mainThread })
      {
        // After `dispatchMain`, a pool runs the main queue's blocks, one at a time.
        needs.append(.all(.queue(queue.id), threads))
      } else if queue.isMain {
        if let main = needOfMain { needs.append(main) }
      } else if queue.width == 1 {
        if let threads = occupants[queue.id] { needs.append(.all(.queue(queue.id), threads)) }
      } else if let threads = barrierRunners[queue.id] {
        needs.append(.all(.queue(queue.id), threads))
      }
    }
    return needs
  }

  /// The dependency on the main thread; `nil` if that is idle and serves its queue.
  private var needOfMain: Need? {
    guard let mainThread else { return nil }
    let thread = threads[mainThread]
    if thread.wait == nil, thread.elsewhere == .listening || thread.elsewhere == .idle {
      return nil
    }
    return .all(.main, [mainThread])
  }

  /// The dependencies of the blocks queued on a queue.
  func needs(ofBlocksOn number: Int) -> [Need] {
    let queue = queues[number]
    var needs = exclusion(of: number)
    if queue.width != 1, queue.blocks.first?.isBarrier ?? false, let runners = runners[queue.id] {
      needs.append(.all(.runners(queue.id), runners))
    }
    for step in chains[number] where isTaskQueue(step) {
      let runners = jobRunners[queues[step].id] ?? []
      if runners.count >= taskWidth(of: step) {
        needs.append(.one(.jobs(queues[step].id), runners))
      }
    }
    if !isMain(number), let root = root(of: number) { needs.append(.pool(queues[root].id)) }
    return needs
  }
}
