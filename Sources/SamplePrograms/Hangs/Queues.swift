import Dispatch

/// Dispatch queues alone: entered again, or in a cycle.
let queuePrograms: [HangProgram] = [
  HangProgram(
    "sync-on-own-queue", "a method that enters a serial queue calls another one that does",
    syncOnOwnQueue),
  HangProgram(
    "sync-on-target-queue", "a block on a queue that targets a serial one syncs on the target",
    syncOnTargetQueue),
  HangProgram(
    "barrier-inside-sync", "a block on a concurrent queue syncs on it with a barrier",
    barrierInsideSync),
  HangProgram(
    "queues-crossed", "blocks on two serial queues each sync on the other queue", queuesCrossed),
  HangProgram(
    "main-queue-crossed", "the main thread syncs on a queue whose block syncs on the main queue",
    mainQueueCrossed),
]

/// Wrong: the queue is the lock, and it is not recursive. dispatch_sync(3): "calling this function
/// and targeting the current queue results in deadlock"; libdispatch traps.
private func syncOnOwnQueue() {
  final class Cache: @unchecked Sendable {
    private let queue = DispatchQueue(label: "cache")
    private var values: [String: Int] = [:]

    func value(for key: String) -> Int? { queue.sync { values[key] } }

    func increment(_ key: String) {
      queue.sync { values[key] = (value(for: key) ?? 0) + 1 }
    }
  }

  Cache().increment("visits")
}

/// Wrong: code on a queue also runs on the queue's target. libdispatch traps.
private func syncOnTargetQueue() {
  let database = DispatchQueue(label: "database")
  let writer = DispatchQueue(label: "writer", target: database)
  writer.sync {
    database.sync {}
  }
}

/// Wrong: the barrier waits for the block that submits it. An upgrade on a reader-writer queue; no
/// trap.
private func barrierInsideSync() {
  let table = DispatchQueue(label: "table", attributes: .concurrent)
  table.sync {
    table.sync(flags: .barrier) {}
  }
}

/// Wrong: two objects, each with its queue, call each other synchronously.
private func queuesCrossed() {
  let model = DispatchQueue(label: "model")
  let network = DispatchQueue(label: "network")
  let meeting = Meeting()
  model.async {
    meeting.come()
    network.sync {}
  }
  network.async {
    meeting.comeToo()
    model.sync {}
  }
  model.sync {}
}

/// Wrong: "just sync on main for a moment", while main syncs on the queue.
private func mainQueueCrossed() {
  let worker = DispatchQueue(label: "worker")
  let meeting = Meeting()
  DispatchQueue.main.async {
    meeting.come()
    worker.sync {}
  }
  worker.sync {
    meeting.comeToo()
    DispatchQueue.main.sync {}
  }
}
