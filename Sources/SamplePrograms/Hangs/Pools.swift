import Dispatch
import Foundation
import Programs

/// Thread pools that starve: all their threads wait for work that is queued behind them.
let poolPrograms: [Program] = [
  Program(
    "concurrent-queue-waits-behind", "400 blocks on a concurrent queue wait for the 401st",
    .hangs(.starvation),
    source: "Garrett Moon, \"Open-sourcing PINCache\": TMCache's reads, without the cache",
    concurrentQueueWaitsBehind),
  Program(
    "64-readers-behind-a-barrier",
    "64 blocks on the default pool each change a table by a barrier, and read it back",
    .hangs(.starvation), source: .poolGrowth,
    { readersBehindBarrier(64) }),
  Program(
    "300-readers-behind-a-barrier",
    "300 blocks on the default pool each change a table by a barrier, and read it back",
    .hangs(.starvation), source: .poolGrowth,
    { readersBehindBarrier(300) }),
  Program(
    "barrier-behind-waiting-readers",
    "64 blocks on a concurrent queue wait for a signal of the barrier behind them",
    .hangs(.starvation),
    source:
      "dispatch_barrier_async(3): a barrier block begins after all blocks submitted before it",
    barrierBehindWaitingReaders),
  Program(
    "serial-queues-wait-for-last",
    "600 serial queues each run a block that waits for the last queue's block", .hangs(.starvation),
    source:
      "libdispatch: serial queues share a pool of 255 threads on Linux, 512 on Apple's systems",
    serialQueuesWaitForLast),
  Program(
    "tasks-wait-for-tasks", "64 tasks each block a thread of the pool until a task has run",
    .hangs(.starvation),
    source: "WWDC 2021, \"Swift concurrency: Behind the scenes\": semaphores in tasks",
    tasksWaitForTasks),
]

/// Wrong: the 401st block need not ever run: the default pool is limited to 64 threads or a few
/// more on Apple's systems, and to 255 on Linux. TMCache's reads, without the cache.
private func concurrentQueueWaitsBehind() {
  let queue = DispatchQueue(label: "parsers", attributes: .concurrent)
  let grammar = DispatchSemaphore(value: 0)
  let parsed = DispatchGroup()
  for _ in 0..<400 {
    queue.async(group: parsed) {
      grammar.wait()
      grammar.signal()
    }
  }
  queue.async(group: parsed) { grammar.signal() }
  parsed.wait()
}

/// Wrong: the first barrier needs a thread of the pool, but is queued behind all readers, each of
/// which blocks a thread to wait for it. 64 readers need 65 threads: that takes a minute on Linux,
/// and may exceed the limit on Apple's systems. 300 readers exceed the limit of any pool.
func readersBehindBarrier(_ readers: Int) {
  let table = DispatchQueue(label: "table", attributes: .concurrent)
  let pool = DispatchQueue.global()
  let finished = DispatchGroup()
  // The readers are held back until all are queued: a machine with more processors would serve the
  // first reader before the last is queued.
  let start = DispatchGroup()
  start.enter()
  for _ in 0..<readers {
    pool.async(group: finished) {
      start.wait()
      table.async(flags: .barrier) {}
      table.sync {}
    }
  }
  start.leave()
  finished.wait()
}

/// Wrong: a barrier begins after all blocks before it, which wait for it. The pool grows until it
/// has a thread for each reader, but none for the barrier.
private func barrierBehindWaitingReaders() {
  let table = DispatchQueue(label: "table", attributes: .concurrent)
  let filled = DispatchSemaphore(value: 0)
  let finished = DispatchGroup()
  for _ in 0..<64 {
    table.async(group: finished) {
      filled.wait()
      filled.signal()
    }
  }
  table.async(group: finished, flags: .barrier) { filled.signal() }
  finished.wait()
}

/// Wrong: a serial queue is not a thread. Serial queues without a target share the overcommit pool:
/// at most 255 threads on Linux, and 512 on Apple's systems.
private func serialQueuesWaitForLast() {
  let queues = (0..<600).map { DispatchQueue(label: "connection \($0)") }
  let lastIsUp = DispatchSemaphore(value: 0)
  let connected = DispatchGroup()
  for queue in queues.dropLast() {
    queue.async(group: connected) {
      lastIsUp.wait()
      lastIsUp.signal()
    }
  }
  queues.last?.async(group: connected) { lastIsUp.signal() }
  connected.wait()
}

/// Wrong: synchronous code in a task waits for a task; the pool has as many threads as processors,
/// and never more. WWDC 2021, "Swift concurrency: Behind the scenes", on semaphores.
private func tasksWaitForTasks() {
  @Sendable func valueOfTask(after start: DispatchGroup) {
    start.wait()
    let computed = DispatchSemaphore(value: 0)
    Task { computed.signal() }
    computed.wait()
  }

  // The tasks are held back until all 64 are queued: they then hold every thread of a pool of 64.
  let start = DispatchGroup()
  let finished = DispatchGroup()
  start.enter()
  for _ in 0..<64 {
    finished.enter()
    Task {
      valueOfTask(after: start)
      finished.leave()
    }
  }
  start.leave()
  finished.wait()
}
