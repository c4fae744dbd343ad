import Dispatch
import Foundation
import Programs
internal import CSamplePrograms

/// Waits that end: by a clock, by a file, or by another thread that is late.
let correctWaitPrograms: [Program] = [
  Program(
    "hand-off", "two threads pass a turn back and forth with two semaphores, 2,000 times", .passes,
    source: "A. B. Downey, \"The Little Book of Semaphores\": rendezvous", handOff),
  Program(
    "relay", "64 threads each wait for the one before; the first sleeps for a second", .passes,
    source: "A chain of waits ends where one of them sleeps", relay),
  Program(
    "bounded-buffer", "producers and consumers of a buffer of one, over one NSCondition", .passes,
    source: "A. B. Downey, \"The Little Book of Semaphores\": producer and consumer",
    boundedBuffer),
  Program(
    "timed-waits", "waits at a semaphore, a group and a condition that only the clock ends",
    .passes, source: "A wait with a time limit is not stuck",
    timedWaits),
  Program(
    "block-after-a-second", "nothing runs, and nothing is queued: a block will be, in a second",
    .passes, source: "Nothing runs and nothing is queued, but a timer is set",
    blockAfterASecond),
  Program(
    "timer-source", "a thread waits for the third tick of a Dispatch timer", .passes,
    source: "A source runs its handler without a queued block", timerSource),
  Program(
    "static-let-takes-a-second",
    "50 threads use a shared instance whose initializer takes a second", .passes,
    source: .staticLet,
    staticLetTakesASecond),
  Program(
    "dispatch-once-takes-a-second",
    "50 threads use a C library's instance whose initialization takes a second", .passes,
    source: .dispatchOnce,
    hang_dispatch_once_takes_a_second),
  Program(
    "thread-in-read", "a thread waits for one that reads from a pipe, which is written to later",
    .passes, source: "A thread in a system call is not stuck",
    threadInRead),
  Program(
    "pool-grows",
    "every thread of the pool waits for a block behind them, until the pool has grown", .passes,
    source: "libdispatch on Linux: a pool whose threads all wait grows by one thread a second",
    poolGrows),
  Program(
    "5-readers-behind-a-barrier",
    "5 blocks on a pool of one thread each change a table by a barrier, and read it back", .passes,
    source: .poolGrowth, poolWidth: 1,
    { readersBehindBarrier(5) }),
  Program(
    "300-readers-without-waiting",
    "300 blocks on the default pool each change a table by a barrier, and read it by async",
    .passes, source: .poolGrowth,
    readersWithoutWaiting),
  Program(
    "barrier-beside-waiting-readers",
    "3 blocks on one concurrent queue wait for a signal of a barrier of another", .passes,
    source: "The correct twin of barrier-behind-waiting-readers", poolWidth: 8,
    barrierBesideWaitingReaders),
  Program(
    "main-queue-round-trips", "a thread and the main queue call each other, 500 times each",
    .passes, source: "Hand-offs between the main thread and a worker",
    mainQueueRoundTrips),
  Program(
    "chained-operations", "20 operations that depend on each other, on a serial OperationQueue",
    .passes, source: "Operations that are added in the opposite order of their dependencies",
    chainedOperations),
]

/// Right: the barrier is on a queue whose blocks do not wait.
private func barrierBesideWaitingReaders() {
  let readers = DispatchQueue(label: "readers", attributes: .concurrent)
  let table = DispatchQueue(label: "table", attributes: .concurrent)
  let filled = DispatchSemaphore(value: 0)
  let finished = DispatchGroup()
  for _ in 0..<3 {
    readers.async(group: finished) {
      filled.wait()
      filled.signal()
    }
  }
  table.async(group: finished, flags: .barrier) { filled.signal() }
  finished.wait()
}

/// Right: no reader blocks a thread while it waits for the table.
private func readersWithoutWaiting() {
  let table = DispatchQueue(label: "table", attributes: .concurrent)
  let finished = DispatchGroup()
  let start = DispatchGroup()
  start.enter()
  for _ in 0..<300 {
    DispatchQueue.global().async(group: finished) {
      start.wait()
      table.async(group: finished, flags: .barrier) {}
      table.async(group: finished) {}
    }
  }
  start.leave()
  finished.wait()
}

/// Starts a thread that leaves a group when it ends.
func startThread(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
  group.enter()
  Thread.detachNewThread {
    body()
    group.leave()
  }
}

private func handOff() {
  let ping = DispatchSemaphore(value: 0)
  let pong = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    for _ in 0..<2000 {
      ping.wait()
      pong.signal()
    }
  }
  for _ in 0..<2000 {
    ping.signal()
    pong.wait()
  }
}

private func relay() {
  let turns = (0..<64).map { _ in DispatchSemaphore(value: 0) }
  let done = DispatchGroup()
  for (mine, next) in zip(turns, turns.dropFirst()) {
    startThread(in: done) {
      mine.wait()
      next.signal()
    }
  }
  Thread.sleep(forTimeInterval: 1)
  turns.first?.signal()
  done.wait()
}

private func boundedBuffer() {
  final class Buffer: @unchecked Sendable {
    private let changed = NSCondition()
    private var element: Int?

    func put(_ value: Int) {
      changed.withLock {
        while element != nil { changed.wait() }
        element = value
        changed.broadcast()
      }
    }

    func take() -> Int {
      changed.withLock {
        while true {
          if let value = element {
            element = nil
            changed.broadcast()
            return value
          }
          changed.wait()
        }
      }
    }
  }

  let buffer = Buffer()
  let done = DispatchGroup()
  for _ in 0..<3 {
    startThread(in: done) { for number in 0..<200 { buffer.put(number) } }
    startThread(in: done) { for _ in 0..<200 { _ = buffer.take() } }
  }
  done.wait()
}

private func timedWaits() {
  _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.4)
  let group = DispatchGroup()
  group.enter()
  _ = group.wait(timeout: .now() + 0.4)
  group.leave()
  let condition = NSCondition()
  condition.withLock {
    let end = Date(timeIntervalSinceNow: 0.4)
    while condition.wait(until: end) {}
  }
}

private func blockAfterASecond() {
  let ran = DispatchSemaphore(value: 0)
  DispatchQueue.global().asyncAfter(deadline: .now() + 1) { ran.signal() }
  ran.wait()
}

private func timerSource() {
  let ticks = DispatchSemaphore(value: 0)
  let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "clock"))
  timer.schedule(deadline: .now() + 0.4, repeating: 0.4)
  timer.setEventHandler { ticks.signal() }
  timer.resume()
  for _ in 0..<3 { ticks.wait() }
  timer.cancel()
}

private func staticLetTakesASecond() {
  final class Index: Sendable {
    static let shared = Index()
    let count: Int

    init() {
      Thread.sleep(forTimeInterval: 1)
      count = 1
    }
  }

  let group = DispatchGroup()
  for _ in 0..<50 {
    startThread(in: group) { _ = Index.shared.count }
  }
  group.wait()
}

private func threadInRead() {
  let pipe = Pipe()
  let answered = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    _ = pipe.fileHandleForReading.readDataToEndOfFile()
    answered.signal()
  }
  Thread.detachNewThread {
    Thread.sleep(forTimeInterval: 1)
    pipe.fileHandleForWriting.closeFile()
  }
  answered.wait()
}

/// Completes within about two seconds on Linux, where a pool whose threads all wait grows by one
/// each second. Nothing else may rely on that.
private func poolGrows() {
  let signalled = DispatchSemaphore(value: 0)
  let done = DispatchGroup()
  for _ in 0...ProcessInfo.processInfo.activeProcessorCount {
    DispatchQueue.global().async(group: done) {
      signalled.wait()
      signalled.signal()
    }
  }
  DispatchQueue.global().async(group: done) { signalled.signal() }
  done.wait()
}

private func mainQueueRoundTrips() {
  let worker = DispatchQueue(label: "worker")
  let answers = DispatchSemaphore(value: 0)
  for _ in 0..<500 {
    worker.async {
      DispatchQueue.main.async { answers.signal() }
    }
    DispatchQueue.main.sync {
      worker.async { answers.signal() }
    }
  }
  for _ in 0..<1000 { answers.wait() }
}

private func chainedOperations() {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 1
  var previous: Operation?
  let operations = (0..<20).map { _ in
    let operation = BlockOperation { Thread.sleep(forTimeInterval: 0.03) }
    if let previous { operation.addDependency(previous) }
    previous = operation
    return operation
  }
  queue.addOperations(operations.reversed(), waitUntilFinished: true)
}
