import CInterlockEvents
import Foundation
import Testing

extension SyncEvents {
  /// The creation, destruction and acquisition of locks, which tell two locks at one address apart.
  @Suite("The life of locks")
  struct LockLifeTests {
    @Test("A mutex's creation is published with its line, and its destruction")
    func mutex() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let mutex = allocated(pthread_mutex_t())
      let made = nextLine()
      pthread_mutex_init(mutex, nil)
      pthread_mutex_destroy(mutex)
      #expect(recorder.words(of: mutex.address) == ["create mutex", "destroy mutex"])
      #expect(recorder.events(of: mutex.address).first?.line == made)
    }

    @Test("A read-write lock's creation and destruction are published")
    func readWriteLock() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let lock = allocated(pthread_rwlock_t())
      let made = nextLine()
      pthread_rwlock_init(lock, nil)
      pthread_rwlock_destroy(lock)
      #expect(recorder.words(of: lock.address) == ["create write-lock", "destroy write-lock"])
      #expect(recorder.events(of: lock.address).first?.line == made)
    }

    @Test("An NSLock's creation and destruction are published, from the user's line")
    func foundation() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let made = nextLine()
      _ = NSLock()
      let words = recorder.all.filter { $0.line == made }.map(\.words)
      #expect(words.first == "create mutex")
      #expect(recorder.all.map(\.words).contains("destroy mutex"))
    }

    @Test("An acquisition is flagged if it was only tried, and if it had a time limit")
    func tried() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let mutex = MutexTests.mutex()
      pthread_mutex_trylock(mutex)
      pthread_mutex_unlock(mutex)
      pthread_mutex_lock(mutex)
      pthread_mutex_unlock(mutex)
      let semaphore = DispatchSemaphore(value: 1)
      _ = semaphore.wait(timeout: .now())
      semaphore.signal()
      func flags(_ events: [HeardEvent]) -> [Int] {
        events.filter { $0.kind == INTERLOCK_EVENT_ACQUIRE }
          .map { $0.flags & (INTERLOCK_FLAG_TRIED | INTERLOCK_FLAG_TIME_LIMIT) }
      }
      #expect(flags(recorder.events(of: mutex.address)) == [INTERLOCK_FLAG_TRIED, 0])
      // In Swift, now is a time like any other.
      #expect(flags(recorder.events(of: semaphore)) == [INTERLOCK_FLAG_TIME_LIMIT])
    }

    @Test("A wait for a group is flagged if the group was empty")
    func group() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let group = DispatchGroup()
      group.wait()
      group.enter()
      #expect(group.wait(timeout: .now() + .milliseconds(1)) == .timedOut)
      group.leave()
      let waits = recorder.events(of: group).filter { $0.kind == INTERLOCK_EVENT_WAIT }
      #expect(waits.map(\.words) == ["wait group free", "wait group limit"])
    }
  }
}
