import CInterlockEvents
import Foundation
import SyncEventsTestC
import Testing
import Hangs

extension SyncEvents {
  /// The C library's waits with a time of a given clock, which a C++ runtime calls.
  @Suite("Waits by a clock of their own")
  struct ClockTests {
    private static func recorded(
      _ address: UInt, _ body: () -> Int32
    ) throws -> (result: Int32, words: [String]) {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let result = body()
      return (result, recorder.words(of: address))
    }

    /// Runs `body` while another thread holds the lock.
    private static func whileTaken<Result>(
      by take: @escaping @Sendable () -> Void, _ giveBack: @escaping @Sendable () -> Void,
      _ body: () throws -> Result
    ) rethrows -> Result {
      let taken = DispatchSemaphore(value: 0)
      let done = DispatchSemaphore(value: 0)
      let holder = TestThread {
        take()
        taken.signal()
        done.wait()
        giveBack()
      }
      taken.wait()
      defer {
        done.signal()
        holder.join()
      }
      return try body()
    }

    @Test("A mutex wait by a given clock has a limit, and gives up")
    func mutex() throws {
      nonisolated(unsafe) let mutex = MutexTests.mutex()
      let found = try Self.whileTaken(
        by: { pthread_mutex_lock(mutex) }, { pthread_mutex_unlock(mutex) }
      ) {
        var end = moment(in: 0.01)
        return try Self.recorded(mutex.address) {
          sync_events_wait_by_clock(SYNC_EVENTS_CLOCK_MUTEX, mutex, nil, &end)
        }
      }
      #expect(found.result == ETIMEDOUT)
      #expect(found.words == ["wait mutex limit", "give-up mutex"])
    }

    @Test("A read-write lock wait by a given clock has a limit, and gives up")
    func readWriteLock() throws {
      nonisolated(unsafe) let lock = ReadWriteLockTests.lock()
      let found = try Self.whileTaken(
        by: { pthread_rwlock_wrlock(lock) }, { pthread_rwlock_unlock(lock) }
      ) {
        var end = moment(in: 0.01)
        return [
          try Self.recorded(lock.address) {
            sync_events_wait_by_clock(SYNC_EVENTS_CLOCK_READ_LOCK, lock, nil, &end)
          },
          try Self.recorded(lock.address) {
            sync_events_wait_by_clock(SYNC_EVENTS_CLOCK_WRITE_LOCK, lock, nil, &end)
          },
        ]
      }
      #expect(found.map(\.result) == [ETIMEDOUT, ETIMEDOUT])
      #expect(
        found.map(\.words) == [
          ["wait read-lock limit", "give-up read-lock"],
          ["wait write-lock limit", "give-up write-lock"],
        ])
    }

    @Test("A condition wait by a given clock has a limit, and returns with the mutex")
    func condition() throws {
      let mutex = MutexTests.mutex()
      let condition = allocated(pthread_cond_t())
      pthread_cond_init(condition, nil)
      pthread_mutex_lock(mutex)
      var end = moment(in: 0.01)
      let found = try Self.recorded(condition.address) {
        sync_events_wait_by_clock(SYNC_EVENTS_CLOCK_CONDITION, condition, mutex, &end)
      }
      pthread_mutex_unlock(mutex)
      #expect(found.result == ETIMEDOUT)
      #expect(found.words == ["wait condition limit", "acquire condition"])
    }

    @Test("A semaphore wait by a given clock has a limit, and gives up with its error")
    func semaphore() throws {
      let semaphore = allocated(sem_t())
      sem_init(semaphore, 0, 0)
      var end = moment(in: 0.01)
      var error: Int32 = 0
      let found = try Self.recorded(semaphore.address) {
        let result = sync_events_wait_by_clock(SYNC_EVENTS_CLOCK_SEMAPHORE, semaphore, nil, &end)
        error = errno
        return result
      }
      #expect(found.result == -1)
      #expect(error == ETIMEDOUT)
      #expect(found.words == ["wait semaphore limit", "give-up semaphore"])
    }
  }
}
