import Foundation
import SyncEventsTestC

/// A POSIX mutex that is never destroyed.
private struct PosixMutex: @unchecked Sendable {
  // Unchecked: the C library orders the threads that use it.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  /// With `isChecked`, the C library refuses the unlock call of a thread that is not the owner.
  init(isChecked: Bool = false) {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    if isChecked { pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK)) }
    pthread_mutex_init(mutex, &attributes)
  }

  func lock() { pthread_mutex_lock(mutex) }
  func unlock() { pthread_mutex_unlock(mutex) }
}

/// Runs each body on its own thread, each after the previous one has ended.
private func inTurn(_ bodies: (@Sendable () -> Void)...) {
  for body in bodies {
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      ended.signal()
    }
    ended.wait()
  }
}

private func nest(_ outer: NSLock, _ inner: NSLock) { outer.withLock { inner.withLock {} } }

/// Serves the main queue until `body` has run as a task.
private func serveMain(_ body: @escaping @Sendable () async -> Void) -> Never {
  Task.detached {
    await body()
    DispatchQueue.main.async {
      print("done")
      exit(0)
    }
  }
  RunLoop.main.run()
  fatalError("the run loop has ended")
}

extension Programs {
  /// Programs that take locks in two orders, or a lock and the main queue. Some can deadlock.
  static let lockOrders: [String: Program] = [
    "slots": { arguments in
      slots(Int(number(arguments, 0)), isKept: arguments.last == "kept")
      print("done")
    },
    "semaphore-as-gate": { _ in
      let (one, other) = (NSLock(), NSLock())
      let gate = DispatchSemaphore(value: 1)
      @Sendable func gated(_ body: () -> Void) {
        gate.wait()
        body()
        gate.signal()
      }
      inTurn({ gated { nest(one, other) } }, { gated { nest(other, one) } })
      print("done")
    },
    "completion-signals": { _ in
      let (one, other) = (NSLock(), NSLock())
      let gate = DispatchSemaphore(value: 1)
      let (completions, ended) = (DispatchQueue(label: "completions"), DispatchGroup())
      @Sendable func gated(_ body: () -> Void) {
        gate.wait()
        body()
        completions.async(group: ended) { gate.signal() }
      }
      inTurn({ gated { nest(one, other) } }, { gated { nest(other, one) } })
      ended.wait()
      print("done")
    },
    "mutex-handed-over": { arguments in
      handOver(by: arguments.first ?? "")
      print("done")
    },
    "gate-handed-over": { _ in
      let (one, other, mutex) = (NSLock(), NSLock(), PosixMutex())
      // Each thread leaves the mutex to the next, which unlocks it.
      inTurn(
        {
          mutex.lock()
          leaveTo({ mutex.unlock() }) { nest(one, other) }
        },
        {
          mutex.lock()
          leaveTo({ mutex.unlock() }) { nest(other, one) }
        })
      print("done")
    },
    "unlock-refused": { arguments in
      let (one, other, mutex) = (NSLock(), NSLock(), PosixMutex(isChecked: true))
      @Sendable func gated(_ body: () -> Void) {
        mutex.lock()
        // The C library refuses the call, because another thread is the owner.
        leaveTo({ mutex.unlock() }, body)
        mutex.unlock()
      }
      if arguments.first == "gate" {
        inTurn({ gated { nest(one, other) } }, { gated { nest(other, one) } })
      } else {
        inTurn({ gated { one.withLock {} } }, { one.withLock { gated {} } })
      }
      print("done")
    },
    "task-syncs-on-main": { arguments in
      let lock = NSLock()
      @Sendable func syncUnderLock() { lock.withLock { DispatchQueue.main.sync {} } }
      switch arguments.first {
      case "started-after":
        lock.withLock {}
        serveMain { syncUnderLock() }
      case "resumed-after":
        let (stream, source) = AsyncStream<Int>.makeStream()
        let isWaiting = DispatchSemaphore(value: 0)
        let task = Task.detached {
          isWaiting.signal()
          for await _ in stream { syncUnderLock() }
        }
        isWaiting.wait()
        lock.withLock {}
        source.yield(1)
        source.finish()
        serveMain { await task.value }
      default:
        let (isBegun, state) = (DispatchSemaphore(value: 0), NSLock())
        nonisolated(unsafe) var isOver = false
        let task = Task.detached {
          isBegun.signal()
          // The order of the threads at this lock may differ in another run.
          while !state.withLock({ isOver }) { sched_yield() }
          syncUnderLock()
        }
        isBegun.wait()
        lock.withLock {}
        state.withLock { isOver = true }
        serveMain { await task.value }
      }
    },
    "spin-gate": { arguments in
      let (one, other) = (NSLock(), NSLock())
      let (kind, isOne) = (arguments.first ?? "", arguments.last == "one")
      inTurn(
        { gated(kind, 0) { nest(one, other) } },
        { gated(kind, isOne ? 0 : 1) { nest(other, one) } })
      print("done")
    },
    "apply-under-a-gate": { arguments in
      let (one, other, gate) = (NSLock(), NSLock(), NSLock())
      let isGated = arguments.first == "gated"
      @Sendable func applied(_ outer: NSLock, _ inner: NSLock) {
        if isGated { gate.lock() }
        onTwoThreads { nest(outer, inner) }
        if isGated { gate.unlock() }
      }
      inTurn({ applied(one, other) }, { applied(other, one) })
      print("done")
    },
    "polled-under-lock": { _ in
      let (lock, group, ended) = (NSLock(), DispatchGroup(), DispatchGroup())
      group.enter()
      for isWaiter in [true, false] {
        ended.enter()
        Thread.detachNewThread {
          if isWaiter {
            let now = DispatchTime(uptimeNanoseconds: 0)
            while lock.withLock({ group.wait(timeout: now) == .timedOut }) { sched_yield() }
          } else {
            lock.withLock { group.leave() }
          }
          ended.leave()
        }
      }
      ended.wait()
      print("done")
    },
    "under-many-queues": { arguments in
      let queues = (0..<Int(number(arguments, 0))).map { DispatchQueue(label: "queue \($0)") }
      let (one, other) = (NSLock(), NSLock())
      inTurn({ onQueues(queues[...]) { nest(one, other) } }, { nest(other, one) })
      print("done")
    },
    "under-many-locks": { arguments in
      let locks = (0..<Int(number(arguments, 0))).map { _ in NSLock() }
      let (one, other, gate) = (NSLock(), NSLock(), NSLock())
      inTurn(
        {
          for lock in locks { gate.withLock { lock.withLock { nest(one, other) } } }
          nest(one, other)
        }, { gate.withLock { nest(other, one) } })
      print("done")
    },
  ]

  /// A buffer with room: producers wait for it, and consumers signal it. The producers nest two
  /// locks, each in another order.
  private static func slots(_ count: Int, isKept: Bool) {
    let (free, filled) = (DispatchSemaphore(value: count), DispatchSemaphore(value: 0))
    let (one, other) = (NSLock(), NSLock())
    @Sendable func produce(_ body: () -> Void) {
      free.wait()
      filled.signal()
      body()
    }
    @Sendable func consume() {
      filled.wait()
      free.signal()
    }
    inTurn(
      { produce { nest(one, other) } }, { consume() }, { produce { nest(other, one) } },
      { consume() })
    if isKept { _ = Unmanaged.passRetained(free) }
    // The locks outlive the semaphore.
    _ = Unmanaged.passRetained(one)
    _ = Unmanaged.passRetained(other)
  }

  /// A thread locks a mutex, and another unlocks it: before the first takes a lock, or after it has
  /// ended. Then a thread takes the two locks in the other order.
  private static func handOver(by other: String) {
    let (lock, mutex) = (NSLock(), PosixMutex())
    if other == "ended" {
      inTurn({ mutex.lock() }, { mutex.unlock() })
      inTurn(
        {
          mutex.lock()
          lock.withLock {}
        }, { mutex.unlock() })
    } else {
      inTurn({
        mutex.lock()
        leaveTo({ mutex.unlock() }) { lock.withLock {} }
      })
    }
    inTurn({
      lock.withLock {
        mutex.lock()
        mutex.unlock()
      }
    })
  }

  /// Runs a body on another thread, and then one on this thread.
  private static func leaveTo(_ first: @escaping @Sendable () -> Void, _ body: () -> Void) {
    inTurn(first)
    body()
  }

  private static func gated(_ kind: String, _ index: Int32, _ body: @escaping () -> Void) {
    var body = body
    withUnsafeMutablePointer(to: &body) { context in
      sync_events_with_gate(
        kind, index, { $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, context)
    }
  }

  /// Runs the iterations of one call on two threads, if the pool has another thread to spare.
  private static func onTwoThreads(_ body: @escaping @Sendable () -> Void) {
    let begun = (0..<2).map { _ in DispatchSemaphore(value: 0) }
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      begun[index].signal()
      // Limited: without another thread, the iterations run one after the other.
      _ = begun[1 - index].wait(timeout: .now() + 1)
      body()
    }
  }

  private static func onQueues(_ queues: ArraySlice<DispatchQueue>, _ body: () -> Void) {
    guard let queue = queues.first else { return body() }
    queue.sync { onQueues(queues.dropFirst(), body) }
  }
}
