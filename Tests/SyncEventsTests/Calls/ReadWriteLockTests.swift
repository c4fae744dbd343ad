import CInterlockEvents
import Foundation
import Testing

extension SyncEvents {
  /// `pthread_rwlock_*`.
  @Suite("Read-write locks")
  struct ReadWriteLockTests {
    static func lock() -> UnsafeMutablePointer<pthread_rwlock_t> {
      let lock = allocated(pthread_rwlock_t())
      // Hidden, as for a mutex.
      interlock_events_hide_thread(true)
      pthread_rwlock_init(lock, nil)
      interlock_events_hide_thread(false)
      return lock
    }

    @Test("A read-write lock publishes whether it is read or written, and admits several readers")
    func kinds() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let lock = Self.lock()
      let read = nextLine()
      pthread_rwlock_rdlock(lock)
      let results = [
        pthread_rwlock_tryrdlock(lock), pthread_rwlock_trywrlock(lock),
        pthread_rwlock_unlock(lock), pthread_rwlock_unlock(lock),
      ]
      #expect(results == [0, EBUSY, 0, 0])
      let written = nextLine()
      pthread_rwlock_wrlock(lock)
      let others = [
        pthread_rwlock_tryrdlock(lock), pthread_rwlock_wrlock(lock), pthread_rwlock_unlock(lock),
      ]
      #expect(others == [EBUSY, EDEADLK, 0])
      let events = recorder.events(of: lock.address)
      #expect(
        events.map(\.words) == [
          "wait read-lock", "acquire read-lock", "acquire read-lock",
          "release write-lock", "release write-lock",
          "wait write-lock", "acquire write-lock", "wait write-lock", "give-up write-lock",
          "release write-lock",
        ])
      #expect(events[1].line == read)
      #expect(events[6].line == written)
    }

    @Test("A read-write lock wait with a limit gives up, of a reader and of a writer")
    func timed() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      nonisolated(unsafe) let lock = Self.lock()
      recorder.follow(lock.address)
      pthread_rwlock_wrlock(lock)
      TestThread {
        var end = moment(in: 0.01)
        let results = [
          pthread_rwlock_timedrdlock(lock, &end), pthread_rwlock_timedwrlock(lock, &end),
        ]
        #expect(results == [ETIMEDOUT, ETIMEDOUT])
      }.join()
      pthread_rwlock_unlock(lock)
      #expect(
        recorder.words(of: lock.address) == [
          "wait write-lock", "acquire write-lock",
          "wait read-lock limit", "give-up read-lock",
          "wait write-lock limit", "give-up write-lock", "release write-lock",
        ])
      var end = moment(in: 10)
      #expect(pthread_rwlock_timedrdlock(lock, &end) == 0)
      #expect(recorder.words(of: lock.address).last == "acquire read-lock limit")
    }

    @Test("A writer waits while a reader holds the lock")
    func writerWaits() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      nonisolated(unsafe) let lock = Self.lock()
      recorder.follow(lock.address)
      pthread_rwlock_rdlock(lock)
      let writer = TestThread {
        pthread_rwlock_wrlock(lock)
        pthread_rwlock_unlock(lock)
      }
      eventually("the writer waits") {
        recorder.words(of: lock.address).contains("wait write-lock")
      }
      #expect(!recorder.words(of: lock.address).contains("acquire write-lock"))
      pthread_rwlock_unlock(lock)
      writer.join()
      #expect(
        recorder.words(of: lock.address) == [
          "wait read-lock", "acquire read-lock", "wait write-lock", "release write-lock",
          "acquire write-lock", "release write-lock",
        ])
    }
  }
}
