import CInterlockEvents
import Foundation
import Testing

extension SyncEvents {
  /// Waits with a time limit that never comes, which count as waits without a limit.
  @Suite("A time limit that never comes")
  struct DistantFutureTests {
    /// A wait with such a limit that ends at once, and the object as events name it.
    struct Wait: CustomTestStringConvertible, Sendable {
      var testDescription: String
      var run: @Sendable () -> UInt
    }

    private static func semaphore(
      _ wait: @escaping @Sendable (DispatchSemaphore) -> DispatchTimeoutResult
    ) -> @Sendable () -> UInt {
      {
        let semaphore = DispatchSemaphore(value: 0)
        whileItWaits({ semaphore.signal() }) { #expect(wait(semaphore) == .success) }
        return semaphore.address
      }
    }

    private static func group(
      _ wait: @escaping @Sendable (DispatchGroup) -> DispatchTimeoutResult
    ) -> @Sendable () -> UInt {
      {
        let group = DispatchGroup()
        group.enter()
        whileItWaits({ group.leave() }) { #expect(wait(group) == .success) }
        return group.address
      }
    }

    private static func workItem(
      _ wait: @escaping @Sendable (DispatchWorkItem) -> DispatchTimeoutResult
    ) -> @Sendable () -> UInt {
      {
        let item = DispatchWorkItem {}
        nonisolated(unsafe) let shared = item
        whileItWaits({ shared.perform() }) { #expect(wait(item) == .success) }
        return item.address
      }
    }

    /// Two centuries from now. Not `Date.distantFuture`, at which Foundation traps before the call.
    private static var distant: timespec { moment(in: 6e9) }

    private static func pointer<Value>(_ address: UInt) -> UnsafeMutablePointer<Value> {
      UnsafeMutablePointer(bitPattern: address)!
    }

    /// Ends a wait from another thread, even before the wait begins: it is published either way.
    private static func whileItWaits(_ end: @escaping @Sendable () -> Void, _ wait: () -> Void) {
      let ends = TestThread(end)
      wait()
      ends.join()
    }

    static let waits = [
      Wait(
        testDescription: "semaphore, DispatchTime",
        run: semaphore { $0.wait(timeout: .distantFuture) }),
      Wait(
        testDescription: "semaphore, DispatchWallTime",
        run: semaphore { $0.wait(wallTimeout: .distantFuture) }),
      Wait(
        testDescription: "semaphore, all seconds that there are",
        run: semaphore { $0.wait(timeout: .now() + .seconds(.max)) }),
      Wait(
        testDescription: "semaphore, infinity",
        run: semaphore { $0.wait(timeout: .now() + .infinity) }),
      Wait(testDescription: "group, DispatchTime", run: group { $0.wait(timeout: .distantFuture) }),
      Wait(
        testDescription: "group, DispatchWallTime",
        run: group { $0.wait(wallTimeout: .distantFuture) }),
      Wait(
        testDescription: "work item, DispatchTime",
        run: workItem { $0.wait(timeout: .distantFuture) }),
      Wait(
        testDescription: "work item, DispatchWallTime",
        run: workItem { $0.wait(wallTimeout: .distantFuture) }),
      Wait(testDescription: "sem_timedwait") {
        let semaphore = SemaphoreTests.semaphore(0)
        let address = semaphore.address
        whileItWaits({ sem_post(pointer(address)) }) {
          var end = distant
          #expect(sem_timedwait(semaphore, &end) == 0)
        }
        return address
      },
      Wait(testDescription: "pthread_mutex_timedlock") {
        let mutex = MutexTests.mutex()
        var end = distant
        #expect(pthread_mutex_timedlock(mutex, &end) == 0)
        pthread_mutex_unlock(mutex)
        return mutex.address
      },
      Wait(testDescription: "pthread_rwlock_timedwrlock") {
        let lock = allocated(pthread_rwlock_t())
        var end = distant
        #expect(pthread_rwlock_timedwrlock(lock, &end) == 0)
        pthread_rwlock_unlock(lock)
        return lock.address
      },
      Wait(testDescription: "pthread_cond_timedwait") {
        let condition = ConditionTests.condition()
        let mutex = MutexTests.mutex()
        let (at, with) = (condition.address, mutex.address)
        pthread_mutex_lock(mutex)
        whileItWaits({
          pthread_mutex_lock(pointer(with))
          pthread_cond_signal(pointer(at))
          pthread_mutex_unlock(pointer(with))
        }) {
          var end = distant
          #expect(pthread_cond_timedwait(condition, mutex, &end) == 0)
        }
        pthread_mutex_unlock(mutex)
        return at
      },
    ]

    @Test("A wait with a distant limit is published as a wait without one", arguments: waits)
    func unlimited(_ wait: Wait) throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let words = recorder.words(of: wait.run())
      #expect(words.contains { $0.hasPrefix("acquire") }, "\(words)")
      #expect(!words.contains { $0.hasSuffix("limit") }, "\(words)")
    }
  }
}
