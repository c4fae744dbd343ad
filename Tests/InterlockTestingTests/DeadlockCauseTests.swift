import Explorer
import Foundation
import Interlock
import InterlockTesting
import TestSupport
import Testing
import Hangs

/// A lock that a task may hold while suspended: `NSLock` is not available in async code.
private final class TaskLock: @unchecked Sendable {
  private let inner = NSLock()
  // Unchecked: the lock protects the continuation.
  var waiting: CheckedContinuation<Void, Never>?

  func lock() { inner.lock() }
  func unlock() { inner.unlock() }
}

/// In separate processes: a process can have only a few readers of the waits, and other tests start
/// some.
@Suite("an explored deadlock", .serialized, .controlled)
struct DeadlockCauseTests {
  static func failure(
    poolWidth: Int? = nil, _ body: @escaping () -> Bool
  ) throws -> ExplorationFailure {
    var options = ExplorationOptions()
    options.poolWidth = poolWidth
    let outcome = try Exploration(options, of: "DeadlockCauseTests").run(body)
    return try #require(outcome.failure, "\(outcome)")
  }

  /// Outside of the macro's argument, where lines have no file.
  private static func crossLocks() -> Bool {
    let (first, second) = (NSLock(), NSLock())
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { first.withLock { second.withLock {} } }
    DispatchQueue.global().async(group: group) { second.withLock { first.withLock {} } }
    group.wait()
    return true
  }

  @Test("a deadlock of two locks is a cycle, with what each thread holds and waits for")
  func cycle() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure(Self.crossLocks)
      #expect(found.verdict == .deadlock(.cycle))
      let text = found.explanation.joined(separator: "\n")
      #expect(text.contains("2 threads wait for each other"))
      #expect(text.contains("thread 1 holds the mutex made at DeadlockCauseTests.swift:"))
      #expect(text.contains("thread 2 holds the mutex made at DeadlockCauseTests.swift:"))
      #expect(text.contains("DeadlockCauseTests.swift:"))
      #expect(found.report.hasPrefix("deadlock (cycle) "))
    }
  }

  @Test("a thread that locks a lock that it holds deadlocks with itself")
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

  @Test("an explored signal that comes before its wait is a lost wake-up")
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

  @Test("a deadlock is not certain if a handler that no order controls may end it")
  func handlerOutside() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure {
        let (pipe, done) = (Pipe(), DispatchSemaphore(value: 0))
        let source = DispatchSource.makeReadSource(
          fileDescriptor: pipe.fileHandleForReading.fileDescriptor)
        source.setEventHandler { done.signal() }
        source.resume()
        withExtendedLifetime(pipe) { done.wait() }
        source.cancel()
        return true
      }
      #expect(found.report.hasPrefix("a deadlock (lost-wake-up), or a wait that code ends"))
      #expect(found.headline.contains("not controlled: a dispatch source that is no timer"))
      #expect(found.explanation.first == "unless code that no order controls ends a wait:")
    }
  }

  @Test("a deadlock is certain if a handler in control does not end it")
  func handlerInControl() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure {
        let done = DispatchSemaphore(value: 0)
        let source = DispatchSource.makeUserDataAddSource()
        source.setEventHandler {}
        source.resume()
        source.add(data: 1)
        done.wait()
        source.cancel()
        return true
      }
      #expect(found.report.hasPrefix("deadlock (lost-wake-up) "))
    }
  }

  @Test("a deadlock names the timer that was not resumed", arguments: [true, false])
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

  @Test("a deadlock on a lock that its owner kept is an abandoned lock")
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

  /// A task takes a mutex. It then waits for a continuation, whose resumer needs the mutex first.
  /// Or, unless it `awaits`, it ends without unlocking.
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

  @Test("a task that is suspended under a lock is a cycle if its resumer needs the lock")
  func suspendedHolder() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure { Self.lockInTask(awaits: true) }
      #expect(found.cause == .cycle, "\(found.report)")
    }
  }

  @Test("a deadlock on a lock that a task kept to its end is an abandoned lock")
  func abandonedByTask() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure { Self.lockInTask(awaits: false) }
      #expect(found.cause == .abandonedLock, "\(found.report)")
    }
  }

  /// Calls each of which blocks its pool's thread until another block of the pool runs.
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

  @Test("a deadlock of a pool whose threads all wait is starvation")
  func starvation() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure(poolWidth: 1) { Self.callsThatWait(1) }
      #expect(found.cause == .starvation)
      #expect(found.dryPoolWidth == 1)
    }
  }

  @Test("starvation counts the blocks of its own execution, not those of earlier ones")
  func starvationOfMany() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure(poolWidth: 2) { Self.callsThatWait(300) }
      #expect(found.explanation.contains { $0.contains("frees it from here: 301 threads") })
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

  @Test("a lost wake-up counts the signals and waits of its own execution")
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

  @Test("a deadlock lists the tasks of its own execution, and no thread of the harness")
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
