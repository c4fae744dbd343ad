import Explorer
import Foundation
import Synchronization
import TestSupport
import Testing
import Hangs

// Locks, initialisers and actors that outlive the body.
extension DeadlockCauseTests {
  /// Locks that outlive the body: an execution that deadlocks leaves them locked.
  private enum Global {
    static let first = NSLock()
    static let second = NSLock()
    static let mutex = Mutex(0)
    static let otherMutex = Mutex(0)
    /// A global whose initialiser uses it before it has a value.
    static let limit: Int = half()

    private static func half() -> Int { limit / 2 }
  }

  @Test("a deadlock of two global locks is a cycle, also in the schedule that is shown")
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
      #expect(found.repetition == .fails)
      #expect(found.schedule.steps.count { $0.operation.hasPrefix("lock") } >= 2)
    }
  }

  /// An actor with a method that blocks until another method of the same actor is called.
  private actor Mailbox {
    static let shared = Mailbox()
    private let signal = DispatchSemaphore(value: 0)

    func receive() { waitFor(signal) }
    func send() { signal.signal() }

    private nonisolated func waitFor(_ signal: DispatchSemaphore) { signal.wait() }
  }

  @Test("a deadlock of two methods of a global actor is a cycle that names the actor")
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
      #expect(found.verdict == .deadlock(.cycle), "\(found.report)")
      #expect(found.repetition == .fails)
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

  @Test("a deadlock leaves global locks of each kind as they were")
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
        #expect(found.headline.hasPrefix("deadlock") && found.repetition == .fails, "\(pair.name)")
        #expect(found.schedule.switches > 0, "\(pair.name): \(found.report)")
        for index in 0..<2 { #expect(pair.isFree(index), "\(pair.name)") }
      }
    }
  }

  @Test("a global lock that a thread of an earlier order still holds causes no deadlock")
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
      #expect(outcome.failure?.report == nil)
    }
  }

  @Test("a deadlock leaves a global Mutex as it was")
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

  @Test("a thread that locks a global lock twice deadlocks with itself")
  func globalSelfWait() async {
    await #expect(processExitsWith: .success) {
      let found = try Self.failure {
        Global.first.lock()
        Global.first.lock()
        return true
      }
      #expect(found.cause == .self, "\(found.report)")
      #expect(found.repetition == .fails)
    }
  }

  @Test("a global variable that uses itself deadlocks with itself")
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
}
