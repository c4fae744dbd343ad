import CInterlockAnalysis
import Foundation
import Interlock
import SyncEventsTestC
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

/// A section with its Mutex.
private final class Guarded: Sendable {
  private let mutex = Mutex(0)
  private let section = Section("guarded")

  func locked(_ body: () -> Void) { section.write(locking: mutex) { _ in body() } }
}

/// A lock that a user has wrapped.
private final class WrappedLock: Sendable {
  private let inner = NSLock()

  func lock() { inner.lock() }

  func withLock(_ body: () -> Void) {
    lock()
    defer { inner.unlock() }
    body()
  }
}

/// A flag that one thread waits for, and another sets after the wait has begun.
private final class Signal: @unchecked Sendable {
  // Unchecked: the condition protects the flag.
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

  func send() {
    isAsked.wait()
    condition.lock()
    isSet = true
    condition.signal()
    condition.unlock()
    isAsked.wait()
  }
}

extension Programs {
  /// Programs whose locks do not deadlock in a run; some of them can deadlock, the others cannot.
  static let predicted: [String: Program] = [
    "both-ways": { _ in nest(crosswise: true) },
    "both-ways-wrapped": { arguments in
      start(arguments)
      nestWrapped()
    },
    "one-way": { _ in nest(crosswise: false) },
    "many-locks": { _ in
      // All locks are alive at once, and are then destroyed in the order in which they were made.
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
      // Kept, as programs keep their locks: a destroyed lock is no finding.
      _ = Unmanaged.passRetained(lock)
      print("done")
    },
    "static-locks": { arguments in
      if arguments.first == "relock" { sync_events_relock_static_lock() }
      if arguments.first == "condition" {
        let condition = NSCondition()
        condition.withLock { condition.wait() }
      }
      let ended = DispatchSemaphore(value: 0)
      for swapped in [false, true] {
        Thread.detachNewThread {
          sync_events_static_locks(swapped)
          ended.signal()
        }
        ended.wait()
      }
      print("done")
    },
    "exit-under-lock": { _ in
      let lock = NSLock()
      lock.withLock {
        print("done")
        exit(0)
      }
    },
    "exit-under-own-lock": { _ in
      let lock = WrappedLock()
      lock.withLock {
        print("done")
        exit(0)
      }
    },
    "exit-after-left-lock": { _ in
      let lock = WrappedLock()
      returnEarly(with: lock)
      _ = Unmanaged.passRetained(lock)
      print("done")
      exit(0)
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
    "many-section-mutexes": { arguments in
      let others = (0..<number(arguments, 0)).map { _ in Guarded() }
      for other in others { other.locked {} }
      let (names, numbers, gate) = (Guarded(), Guarded(), Guarded())
      let (first, second) = (NSLock(), NSLock())
      let isGated = arguments.last == "gated"
      for isSwapped in [false, true] {
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          if isGated {
            let (outer, inner) = isSwapped ? (second, first) : (first, second)
            gate.locked { outer.withLock { inner.withLock {} } }
          } else {
            let (outer, inner) = isSwapped ? (numbers, names) : (names, numbers)
            outer.locked { inner.locked {} }
          }
          ended.signal()
        }
        ended.wait()
      }
      print("done", others.count)
    },
    "forwarded-wait": { _ in
      let signal = Signal()
      Task(executorPreference: Forward()) { signal.wait() }
      signal.send()
      print("done")
    },
    "many-signals": { _ in
      // More semaphores than are followed, all alive at once, and waited for without a lock.
      let lock = NSLock()
      let signals = (0..<10_000).map { _ in DispatchSemaphore(value: 0) }
      for signal in signals { lock.withLock { _ = signal.signal() } }
      for signal in signals { signal.wait() }
      print("done")
    },
    // The callback runs under the loader's lock, and takes new locks in unknown memory.
    "locks-in-a-loader-callback": { _ in
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        for _ in 0..<10_000 { _ = sync_events_in_loader_callback { lockUnknown() } }
        ended.signal()
      }
      for _ in 0..<10_000 { lockUnknown() }
      ended.wait()
      print("done")
    },
    "signals-in-analysis": { arguments in
      let missed = sync_events_signals(Int(number(arguments, 0)))
      let lost = interlock_prediction_lost()
      print(
        missed, interlock_prediction_depth(), sync_events_unseen_signals(),
        interlock_waits_is_partial() || lost.threads ? "partial" : "complete",
        interlock_clocks_blindness() == nil ? "ordered" : "unordered")
    },
    "refused-timed-lock": { _ in
      let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
      pthread_mutex_init(mutex, &attributes)
      pthread_mutex_lock(mutex)
      var end = timespec(tv_sec: time(nil) + 60, tv_nsec: 0)
      // The call is refused because the thread holds the mutex, and the refusal is ignored.
      pthread_mutex_timedlock(mutex, &end)
      pthread_mutex_unlock(mutex)
      pthread_mutex_unlock(mutex)
      print("done")
    },
    "notification-and-wait-under-lock": { _ in
      let (lock, isReady) = (NSLock(), DispatchSemaphore(value: 0))
      notifyUnseen()
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
    "lock-without-a-call": { arguments in
      let isRead = arguments.contains("rwlock")
      replaceLock(isRead: isRead, byCall: arguments.contains("call"))
      print("done")
    },
  ]

  /// Takes a lock inside another lock, and then a replacement at the same address outside it. The
  /// first lock is not destroyed; a call initialises the second, or an assignment simulates reuse.
  private static func replaceLock(isRead: Bool, byCall: Bool) {
    let outer = NSLock()
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    let shared = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
    func lock() { _ = isRead ? pthread_rwlock_wrlock(shared) : pthread_mutex_lock(mutex) }
    func unlock() { _ = isRead ? pthread_rwlock_unlock(shared) : pthread_mutex_unlock(mutex) }
    let nested = {
      outer.withLock {
        lock()
        unlock()
      }
    }
    let outside = {
      lock()
      outer.withLock {}
      unlock()
    }
    pthread_mutex_init(mutex, nil)
    pthread_rwlock_init(shared, nil)
    inThread(nested)
    if byCall {
      pthread_mutex_init(mutex, nil)
      pthread_rwlock_init(shared, nil)
      inThread(nested)
    } else {
      mutex.initialize(to: pthread_mutex_t())
      shared.initialize(to: pthread_rwlock_t())
    }
    inThread(outside)
  }

  /// Runs a body in a thread, to its end.
  private static func inThread(_ body: @escaping () -> Void) {
    let ended = DispatchSemaphore(value: 0)
    // Unchecked: the caller waits for the thread.
    nonisolated(unsafe) let body = body
    Thread.detachNewThread {
      body()
      ended.signal()
    }
    ended.wait()
  }

  /// Locks a mutex that no call has made, under another lock, and destroys it.
  private static func lockUnknown() {
    let outer = NSLock()
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    outer.withLock {
      pthread_mutex_lock(mutex)
      pthread_mutex_unlock(mutex)
    }
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// A notification runs code that is not seen: no order is known from then on.
  static func notifyUnseen() {
    let hasRun = DispatchSemaphore(value: 0)
    let item = DispatchWorkItem {}
    item.notify(queue: .global()) { hasRun.signal() }
    DispatchQueue.global().async(execute: item)
    hasRun.wait()
  }

  /// The handler of a source signals.
  static func useSource() {
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

  /// A function that forgets to unlock.
  private static func returnEarly(with lock: WrappedLock) { lock.lock() }

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
  /// Objects that live until the process ends. Unsafe, but only one thread sets it.
  nonisolated(unsafe) private static var kept: [AnyObject] = []

  /// Nests locks as `nest` does, through the functions of classes that wrap a lock.
  private static func nestWrapped() {
    let names = DeepLockBox(0)  // both-ways-wrapped-made: 1
    let numbers = DeepLockBox(0)  // both-ways-wrapped-made: 2
    kept = [names, numbers]
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      names.withLockedValue { _ in  // both-ways-wrapped: has
        numbers.withLockedValue { $0 += 1 }  // both-ways-wrapped: takes
      }
      ended.signal()
    }
    ended.wait()
    Thread.detachNewThread {
      numbers.withLockedValue { _ in  // both-ways-wrapped: has
        names.withLockedValue { $0 += 1 }  // both-ways-wrapped: takes
      }
      ended.signal()
    }
    ended.wait()
    print("done")
  }
}
