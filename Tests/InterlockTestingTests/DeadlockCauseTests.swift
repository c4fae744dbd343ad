import Explorer
import Foundation
import Interlock
import InterlockTesting
import Synchronization
import TestSupport
import Testing
import WaitForGraph

/// A lock that a task may hold while it is suspended: `NSLock` is not available in one.
private final class TaskLock: @unchecked Sendable {
  private let inner = NSLock()
  // Unchecked: the lock guards it.
  var waiting: CheckedContinuation<Void, Never>?

  func lock() { inner.lock() }
  func unlock() { inner.unlock() }
}

/// In processes of their own: the reader of the waits is one of the few that a process can have,
/// and other tests start some.
@Suite("an explored deadlock", .serialized, .controlled)
struct DeadlockCauseTests {
  private static func failure(
    poolWidth: Int? = nil, _ body: @escaping () -> Bool
  ) throws -> ExplorationFailure {
    var options = ExplorationOptions()
    options.poolWidth = poolWidth
    let outcome = try Exploration(options, of: "DeadlockCauseTests").run(body)
    guard case .failed(let failure) = outcome else {
      throw NoFailure(outcome: outcome)
    }
    return failure
  }

  /// Outside of the macro's argument, whose lines have no file.
  private static func crossLocks() -> Bool {
    let (first, second) = (NSLock(), NSLock())
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { first.withLock { second.withLock {} } }
    DispatchQueue.global().async(group: group) { second.withLock { first.withLock {} } }
    group.wait()
    return true
  }

  @Test("of two locks is a cycle, with what each thread holds and waits for")
  func cycle() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure(Self.crossLocks)
      #expect(found.verdict == .deadlock)
      #expect(found.cause == .cycle)
      let text = found.explanation.joined(separator: "\n")
      #expect(text.contains("2 threads wait for each other"))
      #expect(text.contains("thread 1 holds the mutex made at DeadlockCauseTests.swift:"))
      #expect(text.contains("thread 2 holds the mutex made at DeadlockCauseTests.swift:"))
      #expect(text.contains("DeadlockCauseTests.swift:"))
      #expect(found.report.hasPrefix("deadlock (cycle) "))
    }
  }

  @Test("of a thread that locks what it holds is its own")
  func selfWait() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure {
        let lock = NSLock()
        lock.lock()
        lock.lock()
        return true
      }
      #expect(found.cause == .self)
    }
  }

  /// Locks that outlive the body: an execution that deadlocks leaves them locked.
  private enum Global {
    static let first = NSLock()
    static let second = NSLock()
    static let mutex = Mutex(0)
    static let otherMutex = Mutex(0)
    /// Uses itself before it has a value.
    static let limit: Int = half()

    private static func half() -> Int { limit / 2 }
  }

  @Test("of two global locks is a cycle, also in the schedule that is shown")
  func globalCycle() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure {
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
          Global.first.withLock { Global.second.withLock {} }
        }
        DispatchQueue.global().async(group: group) {
          Global.second.withLock { Global.first.withLock {} }
        }
        group.wait()
        return true
      }
      #expect(found.cause == .cycle, "\(found.report)")
      #expect(!found.isUnrepeatable)
      #expect(found.schedule.steps.count { $0.operation.hasPrefix("lock") } >= 2)
    }
  }

  /// Its method blocks for another method of the same actor.
  private actor Mailbox {
    static let shared = Mailbox()
    private let signal = DispatchSemaphore(value: 0)

    func receive() { waitFor(signal) }
    func send() { signal.signal() }

    private nonisolated func waitFor(_ signal: DispatchSemaphore) { signal.wait() }
  }

  @Test("of a global actor whose method waits for another names both, also when it is shown")
  func globalActor() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure {
        let group = DispatchGroup()
        for receives in [true, false] {
          group.enter()
          Task.detached {
            if receives { await Mailbox.shared.receive() } else { await Mailbox.shared.send() }
            group.leave()
          }
        }
        group.wait()
        return true
      }
      #expect(found.verdict == .deadlock && !found.isUnrepeatable, "\(found.report)")
      #expect(found.cause == .cycle, "\(found.report)")
      #expect(
        found.explanation.joined(separator: "\n").contains("actor"), "\(found.report)")
    }
  }

  /// A pair of locks of one kind, as global variables.
  private struct Pair: Sendable {
    var name: String
    var lock: @Sendable (_ index: Int) -> Void
    var unlock: @Sendable (_ index: Int) -> Void
    var isFree: @Sendable (_ index: Int) -> Bool
  }

  // Unsafe: memory that is never freed, which the locks' functions alone access.
  private nonisolated(unsafe) static let words = UnsafeMutablePointer<pthread_rwlock_t>.allocate(
    capacity: 2)
  private nonisolated(unsafe) static let spins = UnsafeMutablePointer<pthread_spinlock_t>.allocate(
    capacity: 2)
  private static let recursive = [NSRecursiveLock(), NSRecursiveLock()]
  private static let signals = [DispatchSemaphore(value: 1), DispatchSemaphore(value: 1)]

  private static func pairs() -> [Pair] {
    for index in 0..<2 {
      pthread_rwlock_init(words + index, nil)
      pthread_spin_init(spins + index, 0)
    }
    return [
      Pair(
        name: "recursive lock",
        lock: {
          recursive[$0].lock()
          recursive[$0].lock()
        },
        unlock: {
          recursive[$0].unlock()
          recursive[$0].unlock()
        },
        isFree: { recursive[$0].try() }),
      Pair(
        name: "writers' lock", lock: { pthread_rwlock_wrlock(words + $0) },
        unlock: { pthread_rwlock_unlock(words + $0) },
        isFree: { pthread_rwlock_trywrlock(words + $0) == 0 }),
      Pair(
        name: "spin lock", lock: { pthread_spin_lock(spins + $0) },
        unlock: { pthread_spin_unlock(spins + $0) },
        isFree: { pthread_spin_trylock(spins + $0) == 0 }),
      Pair(
        name: "semaphore", lock: { signals[$0].wait() }, unlock: { signals[$0].signal() },
        isFree: { signals[$0].wait(timeout: .now()) == .success }),
    ]
  }

  @Test("leaves global locks of each kind as they were")
  func globalLocksOfEachKind() async {
    await #expect(processExitsWith: .success) {
      for pair in Self.pairs() {
        let found = try Self.failure {
          let group = DispatchGroup()
          for first in 0..<2 {
            DispatchQueue.global().async(group: group) {
              pair.lock(first)
              pair.lock(1 - first)
              pair.unlock(1 - first)
              pair.unlock(first)
            }
          }
          group.wait()
          return true
        }
        #expect(found.verdict == .deadlock && !found.isUnrepeatable, "\(pair.name)")
        #expect(found.schedule.switches > 0, "\(pair.name): \(found.report)")
        for index in 0..<2 { #expect(pair.isFree(index), "\(pair.name)") }
      }
    }
  }

  @Test("is none where a thread of an earlier order was left behind with a global lock")
  func leftBehind() async {
    await #expect(processExitsWith: .success) {
      let outcome = try Exploration(ExplorationOptions(), of: "DeadlockCauseTests").run {
        let (hasLocked, never) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        DispatchQueue.global().async {
          Global.first.withLock {
            hasLocked.signal()
            never.wait()
          }
        }
        hasLocked.wait()
        return true
      }
      guard case .failed(let failure) = outcome else { return }
      Issue.record("\(failure.report)")
    }
  }

  @Test("leaves a global Mutex as it was")
  func globalMutex() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure {
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
          Global.mutex.withLock { _ in Global.otherMutex.withLock { _ in } }
        }
        DispatchQueue.global().async(group: group) {
          Global.otherMutex.withLock { _ in Global.mutex.withLock { _ in } }
        }
        group.wait()
        return true
      }
      #expect(found.cause == .cycle, "\(found.report)")
      #expect(Global.mutex.withLockIfAvailable { _ in true } == true)
      #expect(Global.otherMutex.withLockIfAvailable { _ in true } == true)
    }
  }

  @Test("of a thread that locks a global lock twice is its own")
  func globalSelfWait() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure {
        Global.first.lock()
        Global.first.lock()
        return true
      }
      #expect(found.cause == .self, "\(found.report)")
      #expect(!found.isUnrepeatable)
    }
  }

  @Test("of a global variable that uses itself is its own")
  func globalVariable() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure {
        var thread = pthread_t()
        pthread_create(
          &thread, nil,
          { _ in
            _ = Global.limit
            return nil
          }, nil)
        pthread_join(thread, nil)
        return true
      }
      #expect(found.cause == .self, "\(found.report)")
    }
  }

  @Test("of a signal that comes before its wait is a lost wake-up")
  func lostWakeUp() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure {
        let condition = NSCondition()
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
          condition.lock()
          condition.wait()
          condition.unlock()
        }
        DispatchQueue.global().async(group: group) {
          condition.lock()
          condition.signal()
          condition.unlock()
        }
        group.wait()
        return true
      }
      #expect(found.cause == .lostWakeUp)
    }
  }

  @Test("of a wait for a timer that is not resumed names the timer", arguments: [true, false])
  func stoppedTimer(isResumed: Bool) async {
    await #expect(processExitsWith: .success) { [isResumed] in
      let found = try Self.failure {
        let ticked = DispatchSemaphore(value: 0)
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now())
        timer.setEventHandler { if !isResumed { ticked.signal() } }
        if isResumed { timer.resume() }
        withExtendedLifetime(timer) { ticked.wait() }
        return true
      }
      #expect(found.cause == .lostWakeUp)
      let text = found.explanation.joined(separator: "\n")
      #expect(
        text.contains("a timer that was set at DeadlockCauseTests.swift:") == !isResumed, "\(text)")
      #expect(text.contains("a timer is resumed once") == !isResumed, "\(text)")
    }
  }

  @Test("of a lock that its owner kept is an abandoned lock")
  func abandonedLock() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure {
        let lock = NSLock()
        let group = DispatchGroup()
        for _ in 0..<2 { DispatchQueue.global().async(group: group) { lock.lock() } }
        group.wait()
        return true
      }
      #expect(found.cause == .abandonedLock)
    }
  }

  /// A task takes a mutex. It then is suspended until another task, which needs the mutex first,
  /// resumes it; or it ends without unlocking.
  private static func lockInTask(awaits: Bool) -> Bool {
    let lock = TaskLock()
    let (locked, isLocked) = AsyncStream.makeStream(of: Void.self)
    let group = DispatchGroup()
    for sends in [true, false] {
      group.enter()
      Task.detached {
        if sends {
          lock.lock()
          isLocked.yield()
          guard awaits else { return group.leave() }
          await withCheckedContinuation { lock.waiting = $0 }
        } else {
          for await _ in locked { break }
          lock.lock()
          lock.waiting?.resume()
        }
        lock.unlock()
        group.leave()
      }
    }
    group.wait()
    return true
  }

  @Test("of a task that is suspended under a lock is a cycle if its resumer needs the lock")
  func suspendedHolder() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure { Self.lockInTask(awaits: true) }
      #expect(found.cause == .cycle, "\(found.report)")
    }
  }

  @Test("of a lock that a task kept to its end is an abandoned lock")
  func abandonedByTask() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure { Self.lockInTask(awaits: false) }
      #expect(found.cause == .abandonedLock, "\(found.report)")
    }
  }

  /// Calls that each wait for a block of the pool that they run on.
  private static func callsThatWait(_ count: Int) -> Bool {
    let group = DispatchGroup()
    for _ in 0..<count {
      DispatchQueue.global().async(group: group) {
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { isDone.signal() }
        isDone.wait()
      }
    }
    group.wait()
    return true
  }

  @Test("of a pool whose threads all wait is starvation")
  func starvation() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure(poolWidth: 1) { Self.callsThatWait(1) }
      #expect(found.cause == .starvation)
      #expect(found.dryPoolWidth == 1)
    }
  }

  @Test("counts the blocks of its own execution, and not those that others have left")
  func starvationOfMany() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure(poolWidth: 2) { Self.callsThatWait(300) }
      #expect(found.explanation.contains { $0.contains("it needs 301 threads") })
    }
  }

  private static func signalTooEarly() -> Bool {
    let condition = NSCondition()
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      condition.lock()
      condition.wait()
      condition.unlock()
    }
    DispatchQueue.global().async(group: group) {
      condition.lock()
      condition.signal()
      condition.unlock()
    }
    group.wait()
    return true
  }

  @Test("counts the signals and the waits of a condition of its own execution")
  func countsOfCondition() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure(Self.signalTooEarly)
      let text = found.report
      #expect(text.contains("signalled 1 time, waited for 1 time"))
      #expect(text.contains(/thread \d waits: wait #\d+  DeadlockCauseTests.swift:\d+/))
      #expect(!text.contains("waits: lock"))
    }
  }

  /// Each execution leaves a task behind.
  @Sendable private static func neverResumed() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in } }
    }
  }

  @Test("lists the tasks of its own execution, and no thread of the harness")
  func ownTasks() async {
    await #expect(processExitsWith: .success) {
      let text = try #require(await InterlockTestingTests.failure(ofAsync: Self.neverResumed))
      #expect(text.contains("a task waits at DeadlockCauseTests.swift:"))
      #expect(text.contains(/body waits: await group #\d+  DeadlockCauseTests.swift:\d+\n/))
      #expect(!text.contains("libTesting"))
      #expect(!text.contains("Attempt.swift"))
    }
  }
}
