import Dispatch
import Programs

/// Dispatch queues alone: entered again, or in a cycle.
let queuePrograms: [Program] = [
  Program(
    "sync-on-own-queue", "a method that enters a serial queue calls another one that does", .traps,
    source: "dispatch_sync(3): calling it and targeting the current queue results in deadlock",
    syncOnOwnQueue),
  Program(
    "sync-on-target-queue", "a block on a queue that targets a serial one syncs on the target",
    .traps, source: "dispatch_sync(3), by way of dispatch_set_target_queue(3)",
    syncOnTargetQueue),
  Program(
    "barrier-inside-sync", "a block on a concurrent queue syncs on it with a barrier",
    .hangs(.itself),
    source: "The upgrade from reader to writer on a concurrent queue: dispatch_barrier_sync(3)",
    barrierInsideSync),
  Program(
    "queues-crossed", "blocks on two serial queues each sync on the other queue", .hangs(.cycle),
    source: "dispatch_sync(3): two objects, each with its queue, that call each other",
    queuesCrossed),
  Program(
    "main-queue-crossed", "the main thread syncs on a queue whose block syncs on the main queue",
    .hangs(.cycle), source: "The user interface asks a worker that asks the user interface",
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
