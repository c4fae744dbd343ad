import Foundation
import InterlockWatchdog
import SyncEventsTestC
import Synchronization

extension Programs {
  /// Programs that never end by themselves. The first argument is the watchdog's limit in seconds;
  /// without an argument, the program does not start the watchdog.
  static let hangs: [String: Program] = [
    "cycle": { arguments in
      start(arguments)
      cycle()
    },
    "wrapped": { arguments in
      start(arguments)
      wrappedCycle()
    },
    "wrapped-deeply": { arguments in
      start(arguments)
      deeplyWrappedCycle()
    },
    "made-by-function": { arguments in
      start(arguments)
      cycleOfMadeLocks()
    },
    "made-once": { arguments in
      start(arguments)
      let lock = ClosureLock()  // made-once: made
      lock.withLock { lock.withLock {} }  // made-once: has
    },
    "made-signal": { arguments in
      start(arguments)
      let gates = [SignalBox(), SignalBox()]  // made-signal: made
      Thread.detachNewThread { gates[1].wait() }
      gates[0].wait()
    },
    "self": { arguments in
      start(arguments)
      let queue = DispatchQueue(label: "hang.self")
      queue.sync {  // self: has
        queue.sync {}  // self: asks
      }
    },
    "relock": { arguments in
      start(arguments)
      relock()
    },
    "left-locked": { arguments in
      start(arguments)
      leftLocked()
    },
    "lost": { arguments in
      start(arguments)
      let semaphore = DispatchSemaphore(value: 0)
      semaphore.wait()  // lost: asks
    },
    "lost-beside-handlers": { arguments in
      start(arguments)
      sync_events_set_handlers_without_use()
      DispatchSemaphore(value: 0).wait()  // lost-beside-handlers: asks
    },
    "cycle-beside-handler": { arguments in
      start(arguments)
      signal(SIGUSR1) { _ in }
      cycle()
    },
    "cycle-in-shared-memory": { arguments in
      start(arguments)
      sync_events_deadlock_in_shared_memory()
    },
    "lost-private": { arguments in
      start(arguments)
      sync_events_wait_for_private_semaphore()
    },
    "timed-condition": { arguments in
      start(arguments)
      conditionCycle(waitsFor: 0.1, besideRunningThread: false)
    },
    "timed-condition-beside-others": { arguments in
      start(arguments)
      // Long enough for the watchdog to see the other thread's wait before there is a cycle.
      conditionCycle(waitsFor: 1, besideRunningThread: true)
    },
    "lost-in-pool": { arguments in
      start(arguments)
      let semaphore = DispatchSemaphore(value: 0)
      let blocks = DispatchGroup()
      DispatchQueue.global().async(group: blocks) { semaphore.wait() }  // lost-in-pool: asks
      blocks.wait()
    },
    "lost-for-ever": { arguments in
      start(arguments)
      _ = DispatchSemaphore(value: 0).wait(timeout: .distantFuture)  // lost-for-ever: asks
    },
    "readers-60": { arguments in
      start(arguments)
      readersBehindBarrier(60)
    },
    "readers-64": { arguments in
      start(arguments)
      readersBehindBarrier(64)
    },
    "readers-300": { arguments in
      start(arguments)
      readersBehindBarrier(300)
    },
    "members-300": { arguments in
      start(arguments)
      membersOfOneGroup(300)
    },
    "callers-300": { arguments in
      start(arguments)
      callersOfTheirPool(300)
    },
    "unsure-beside-idle": { arguments in
      start(arguments)
      unsureBesideIdle()
    },
    "initialiser": { arguments in
      start(arguments)
      _ = Endless.value
    },
    "delayed-for-days": { arguments in
      start(arguments)
      let semaphore = DispatchSemaphore(value: 0)
      DispatchQueue.global().asyncAfter(deadline: .now() + 2 * 86_400) { semaphore.signal() }
      semaphore.wait()
    },
    "never-resumed": { arguments in
      start(arguments)
      runTask {
        typealias Asked = UnsafeContinuation<Void, Never>
        await withUnsafeContinuation { (_: Asked) in }  // never-resumed: waits
      }
    },
    "checked-never-resumed": { arguments in
      start(arguments)
      let kept = Mutex<CheckedContinuation<Int, any Error>?>(nil)
      runTask {
        _ = try? await withCheckedThrowingContinuation { asked in  // checked-never-resumed: waits
          kept.withLock { $0 = asked }
        }
      }
    },
  ]

  /// Starts the watchdog with the first argument's limit, then sets each further argument's limit.
  static func start(_ arguments: [String]) {
    for limit in arguments.compactMap(Double.init) { HangWatchdog.start(limit: .seconds(limit)) }
  }

  /// Readers on the default pool wait for a barrier that is queued behind all of them.
  static func readersBehindBarrier(_ readers: Int) {
    let table = DispatchQueue(label: "table", attributes: .concurrent)
    let finished = DispatchGroup()
    let start = DispatchGroup()
    start.enter()
    for _ in 0..<readers {
      DispatchQueue.global().async(group: finished) {
        start.wait()
        table.async(flags: .barrier) {}
        table.sync {}  // readers: ask
      }
    }
    start.leave()
    finished.wait()
  }

  /// Callers on the default pool wait, each for its own block, which is queued behind all of the
  /// callers.
  private static func callersOfTheirPool(_ callers: Int) {
    let finished = DispatchGroup()
    let start = DispatchGroup()
    start.enter()
    for _ in 0..<callers {
      DispatchQueue.global().async(group: finished) {
        start.wait()
        let answered = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { answered.signal() }
        answered.wait()
      }
    }
    start.leave()
    finished.wait()
  }

  /// A wait that may end, because a thread sleeps, and an idle worker, which ends after 5 seconds.
  private static func unsureBesideIdle() {
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread { Thread.sleep(forTimeInterval: 60) }
    DispatchQueue.global().sync {}
    let worked = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { worked.signal() }
    worked.wait()
    ended.wait()
  }

  /// A value whose initialiser uses it.
  private enum Endless {
    static let value: Int = next()
    private static func next() -> Int { value + 1 }
  }

  private static func relock() {
    let lock = NSLock()
    lock.lock()  // relock: has
    lock.lock()  // relock: asks
  }

  private static func leftLocked() {
    let lock = NSLock()  // left-locked: made
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      lock.lock()  // left-locked: has
      ended.signal()
    }
    ended.wait()
    let done = DispatchGroup()
    done.enter()
    Thread.detachNewThread {
      lock.lock()  // left-locked: asks
      done.leave()
    }
    done.wait()  // left-locked: joins
  }

  private static func cycle() {
    let first = NSLock()
    let second = NSLock()
    let isHeld = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    first.lock()  // cycle: has
    Thread.detachNewThread {
      second.lock()  // cycle: has
      isHeld.signal()
      first.lock()  // cycle: asks
      ended.signal()
    }
    isHeld.wait()
    second.lock()  // cycle: asks
    ended.wait()
  }

  /// A timed wait at a condition whose time passes while another thread has the mutex. That thread
  /// waits for a lock of the waiter.
  private static func conditionCycle(waitsFor seconds: Double, besideRunningThread: Bool) {
    let lock = NSLock()
    let condition = NSCondition()
    let isHeld = DispatchSemaphore(value: 0)
    lock.lock()
    condition.lock()
    Thread.detachNewThread {
      condition.lock()
      isHeld.signal()
      lock.lock()  // timed-condition: asks
    }
    if besideRunningThread {
      // Each round is an event, so the process is never quiet.
      Thread.detachNewThread {
        let other = NSLock()
        while true {
          other.withLock {}
          Thread.sleep(forTimeInterval: 0.005)
        }
      }
    }
    _ = condition.wait(until: Date(timeIntervalSinceNow: seconds))  // timed-condition: waits
    isHeld.wait()
  }

  /// Deadlocks as `cycle` does, with locks that one function makes.
  private static func cycleOfMadeLocks() {
    let first = namedLock("first")  // made-by-function: made
    let second = namedLock("second")  // made-by-function: made
    let isHeld = DispatchSemaphore(value: 0)
    first.lock()
    Thread.detachNewThread {
      second.lock()
      isHeld.signal()
      first.lock()
    }
    isHeld.wait()
    second.lock()
  }

  private static func namedLock(_ name: String) -> NSLock {
    let lock = NSLock()
    lock.name = name
    return lock
  }

  /// Deadlocks as `cycle` does, through the functions of a class that wraps a lock.
  private static func wrappedCycle() {
    let first = LockBox(0)  // wrapped-made: 1
    let second = LockBox(0)  // wrapped-made: 2
    let isHeld = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    first.withLockedValue { _ in  // wrapped: has
      Thread.detachNewThread {
        second.withLockedValue { _ in  // wrapped: has
          isHeld.signal()
          first.withLockedValue { $0 += 1 }  // wrapped: asks
        }
        ended.signal()
      }
      isHeld.wait()
      second.withLockedValue { $0 += 1 }  // wrapped: asks
    }
    ended.wait()
  }
  /// Deadlocks as `wrappedCycle` does, with a lock that is itself a class. The first thread holds
  /// two locks through the same functions.
  private static func deeplyWrappedCycle() {
    let first = DeepLockBox(0)  // wrapped-deeply-made: 1
    let second = DeepLockBox(0)  // wrapped-deeply-made: 2
    let third = DeepLockBox(0)
    let isHeld = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    first.withLockedValue { _ in  // wrapped-deeply: has
      third.withLockedValue { _ in
        Thread.detachNewThread {
          second.withLockedValue { _ in  // wrapped-deeply: has
            isHeld.signal()
            first.withLockedValue { $0 += 1 }  // wrapped-deeply: asks
          }
          ended.signal()
        }
        isHeld.wait()
        second.withLockedValue { $0 += 1 }  // wrapped-deeply: asks
      }
    }
    ended.wait()
  }
}
