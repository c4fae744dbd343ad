import Foundation
import Interlock
import Synchronization

/// An executor that forwards its jobs to the pool.
final class Forward: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) { globalConcurrentExecutor.enqueue(job) }
}

/// A value that cannot be copied, shared by threads.
private final class Made<Value: ~Copyable & Sendable>: Sendable {
  let value: Value
  init(_ value: consuming Value) { self.value = value }
}

/// Tasks that wait to be resumed, and the sum of the resumed ones.
final class Suspended: Sendable {
  let continuations = Mutex<[CheckedContinuation<Int, Never>]>([])
  let sum = Mutex(0)
}

extension Programs {
  /// Programs whose sections happen before each other, or are unordered.
  static let ordered: [String: Program] = [
    "under-one-lock": { _ in underOneLock() },
    "on-one-queue": { _ in
      let (queue, section) = (DispatchQueue(label: "one"), Section("number"))
      let ended = DispatchGroup()
      for _ in 0..<4 {
        ended.enter()
        Thread.detachNewThread {
          for _ in 0..<100 { queue.sync { section.write {} } }
          ended.leave()
        }
      }
      ended.wait()
      print("done")
    },
    "behind-a-barrier-item": { _ in
      let queue = DispatchQueue(label: "all", attributes: .concurrent)
      let section = Section("number")
      for _ in 0..<100 {
        queue.async(execute: DispatchWorkItem(flags: .barrier) { section.write {} })
        queue.async { section.read {} }
      }
      queue.sync(flags: .barrier) {}
      print("done")
    },
    "forwarded-in-order": { _ in
      let section = Section("number")
      let first = Task(executorPreference: Forward()) { section.write {} }
      runTask {
        await first.value
        await Task(executorPreference: Forward()) { section.write {} }.value
        section.write {}
        print("done")
      }
    },
    "too-many-threads": { _ in
      // All threads are alive at once, each with its own clock.
      let (lock, section) = (NSLock(), Section("number"))
      let (isCounted, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      for _ in 0..<300 {
        Thread.detachNewThread {
          lock.withLock { section.write {} }
          isCounted.signal()
          isOver.wait()
          isCounted.signal()
        }
      }
      for _ in 0..<300 { isCounted.wait() }
      for _ in 0..<300 { isOver.signal() }
      for _ in 0..<300 { isCounted.wait() }
      print("done")
    },
    "too-many-awaits": { _ in
      // More than the 65,536 continuations that are stored, so some are refused at any address.
      let count = 70_000
      let (suspended, section) = (Suspended(), Section("number"))
      let isWaiting = DispatchSemaphore(value: 0)
      let ended = DispatchGroup()
      for number in 1...count {
        ended.enter()
        Task.detached {
          let number = await withCheckedContinuation { continuation in
            suspended.continuations.withLock { $0.append(continuation) }
            isWaiting.signal()
          }
          suspended.sum.withLock { sum in section.write { sum += number } }
          ended.leave()
        }
        // Waits now and then: too many queued tasks could not be followed either.
        if number.isMultiple(of: 1_000) { for _ in 0..<1_000 { isWaiting.wait() } }
      }
      for continuation in suspended.continuations.withLock({ $0 }) {
        continuation.resume(returning: 2)
      }
      ended.wait()
      print(suspended.sum.withLock { $0 })
    },
    "source-without-sections": { _ in
      let lock = NSLock()
      useSource()
      lock.withLock { print("done") }
    },
    "main-queue-given-away": { _ in giveMainQueueAway(reading: .main) },
    "main-queue-not-asked": { _ in
      giveMainQueueAway(reading: DispatchQueue(label: "another"), after: 0.1)
    },
  ]

  /// The first thread writes, advances its clock under its own lock, and releases the common lock;
  /// then the second thread acquires the common lock and writes.
  private static func underOneLock() {
    let (common, own, section) = (NSLock(), NSLock(), Section("number"))
    // No event shows this flag, so only the lock orders the two threads.
    let hasWritten = Made(Atomic(false))
    let ended = DispatchGroup()
    for isFirst in [true, false] {
      ended.enter()
      Thread.detachNewThread {
        if isFirst {
          section.write {}
          for _ in 0..<1_000 { own.withLock {} }
          common.withLock {}
          hasWritten.value.store(true, ordering: .relaxed)
        } else {
          while !hasWritten.value.load(ordering: .relaxed) { sched_yield() }
          common.withLock {}
          section.write {}
        }
        ended.leave()
      }
    }
    ended.wait()
    print("done")
  }

  /// The main thread writes, and gives its queue to the pool. A block reads; the thread that
  /// enqueues it is not ordered after the write.
  private static func giveMainQueueAway(
    reading queue: DispatchQueue, after seconds: TimeInterval = 0
  ) {
    let section = Section("number")
    let isMade = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      queue.async {
        Thread.sleep(forTimeInterval: seconds)
        section.read {}
        print("done")
        exit(0)
      }
      isMade.signal()
    }
    isMade.wait()
    section.write {}
    dispatchMain()
  }
}
