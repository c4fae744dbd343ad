import Foundation
import Interlock
import Synchronization

/// A number whose Mutex is locked through its section.
private final class Counted: Sendable {
  private let count = Mutex(0)
  private let section = Section("count")

  func add(to other: Counted) {
    section.write(locking: count) { mine in
      other.section.read(locking: other.count) { theirs in mine += theirs + 1 }
    }
  }
}

/// An executor that forwards its jobs to the pool.
private final class Forward: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) { globalConcurrentExecutor.enqueue(job) }
}

/// A flag that one thread waits for, and another sets after the wait has begun.
private final class Told: @unchecked Sendable {
  // Unchecked: the condition guards the flag.
  private let condition = NSCondition()
  private var isSet = false
  private let isAsked = DispatchSemaphore(value: 0)

  func wait() {
    condition.lock()
    isAsked.signal()
    while !isSet { condition.wait() }
    condition.unlock()
    isAsked.signal()
  }

  func tell() {
    isAsked.wait()
    condition.lock()
    isSet = true
    condition.signal()
    condition.unlock()
    isAsked.wait()
  }
}

/// A value that cannot be copied, shared by threads.
private final class Made<Value: ~Copyable & Sendable>: Sendable {
  let value: Value
  init(_ value: consuming Value) { self.value = value }
}

/// Tasks that wait to be resumed, and the sum of those that were.
private final class Suspended: Sendable {
  let continuations = Mutex<[CheckedContinuation<Int, Never>]>([])
  let sum = Mutex(0)
}

extension Programs {
  /// Programs that do not go wrong in a run, and can; or that cannot.
  static let predicted: [String: Program] = [
    "both-ways": { _ in nest(crosswise: true) },
    "one-way": { _ in nest(crosswise: false) },
    "many-locks": { _ in
      // All alive at once, and then destroyed in the order in which they were made.
      let outer = NSLock()
      var inner = (0..<50_000).map { _ in NSLock() }
      for lock in inner { outer.withLock { lock.withLock {} } }
      inner.removeAll()
      nest(crosswise: true)
    },
    "short-lived-locks": { _ in
      let outer = NSLock()
      for _ in 0..<100_000 { outer.withLock { NSLock().withLock {} } }
      nest(crosswise: true)
    },
    "long-hold": { _ in
      let lock = NSLock()
      lock.withLock { Thread.sleep(forTimeInterval: 0.3) }
      print("done")
    },
    "left-lock": { _ in
      let lock = NSLock()
      lock.lock()
      // Kept, as a program keeps its locks: a destroyed one is no finding.
      _ = Unmanaged.passRetained(lock)
      print("done")
    },
    "exit-under-lock": { _ in
      let lock = NSLock()
      lock.withLock {
        print("done")
        exit(0)
      }
    },
    "mutexes-of-sections": { _ in
      let (names, numbers) = (Counted(), Counted())
      for (outer, inner) in [(names, numbers), (numbers, names)] {
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          outer.add(to: inner)
          ended.signal()
        }
        ended.wait()
      }
      print("done")
    },
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
    "forwarded-wait": { _ in
      let told = Told()
      Task(executorPreference: Forward()) { told.wait() }
      told.tell()
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
      // All alive at once, each with a clock of its own.
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
      // More than the 65,536 that are stored: some are refused, wherever they would lie.
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
        // Not all of them queued at once: there would be too many to follow, too.
        if number.isMultiple(of: 1_000) { for _ in 0..<1_000 { isWaiting.wait() } }
      }
      for continuation in suspended.continuations.withLock({ $0 }) {
        continuation.resume(returning: 2)
      }
      ended.wait()
      print(suspended.sum.withLock { $0 })
    },
    "many-signals": { _ in
      // All alive at once, more than are followed, and joined without a lock.
      let lock = NSLock()
      let signals = (0..<10_000).map { _ in DispatchSemaphore(value: 0) }
      for signal in signals { lock.withLock { _ = signal.signal() } }
      for signal in signals { signal.wait() }
      print("done")
    },
    "source-without-sections": { _ in
      let lock = NSLock()
      useSource()
      lock.withLock { print("done") }
    },
    "source-and-wait-under-lock": { _ in
      let (lock, isReady) = (NSLock(), DispatchSemaphore(value: 0))
      useSource()
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        lock.withLock { _ = isReady.signal() }
        ended.signal()
      }
      ended.wait()
      lock.withLock { isReady.wait() }
      print("done")
    },
    "contended-mutex": { _ in contendMutex() },
    "main-queue-given-away": { _ in giveMainQueueAway(reading: .main) },
    "main-queue-not-asked": { _ in
      giveMainQueueAway(reading: DispatchQueue(label: "another"), after: 0.1)
    },
  ]

  /// One thread writes, counts on for long with a lock of its own, and releases the common lock;
  /// then the other acquires that and writes.
  private static func underOneLock() {
    let (common, own, section) = (NSLock(), NSLock(), Section("number"))
    // Not an event: only the lock orders the two threads.
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

  /// The main thread writes, and gives its queue away; a block reads, enqueued by a thread that is
  /// not ordered after the write.
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

  /// A source runs code unseen: from then on no order is known.
  private static func useSource() {
    let source = DispatchSource.makeTimerSource(queue: .global())
    let fired = DispatchSemaphore(value: 0)
    source.setEventHandler { fired.signal() }
    source.schedule(deadline: .now())
    source.activate()
    fired.wait()
    source.cancel()
  }

  /// The system's statistics of a thread, its number first.
  private static func statistics(_ thread: String) -> String {
    (try? String(contentsOfFile: "/proc/\(thread)/stat", encoding: .utf8)) ?? ""
  }

  /// One thread holds a Mutex until another waits for it.
  private static func contendMutex() {
    let suspended = Suspended()
    let isHeld = DispatchSemaphore(value: 0)
    let waiter = Atomic<Int>(0)
    Thread.detachNewThread {
      suspended.sum.withLock { _ in
        isHeld.signal()
        var isWaiting = false
        while !isWaiting {
          usleep(1_000)
          // The state of a thread follows its name, which is in parentheses.
          let line = statistics("self/task/\(waiter.load(ordering: .relaxed))")
          isWaiting = line.split(separator: ")").last?.hasPrefix(" S") ?? false
        }
      }
    }
    isHeld.wait()
    waiter.store(
      statistics("thread-self").split(separator: " ").first.flatMap { Int($0) } ?? 0,
      ordering: .relaxed)
    suspended.sum.withLock { $0 += 1 }
    print("done")
  }

  private static func nest(crosswise: Bool) {
    let names = NSLock()
    let numbers = NSLock()
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      names.withLock { numbers.withLock {} }
      ended.signal()
    }
    ended.wait()
    Thread.detachNewThread {
      let (first, second) = crosswise ? (numbers, names) : (names, numbers)
      first.withLock { second.withLock {} }
      ended.signal()
    }
    ended.wait()
    print("done")
  }
}
