import CInterlockEvents
import Foundation
import Synchronization
import Testing

extension SyncEvents {
  /// Pthread mutexes, and Foundation's locks, which are built on them.
  @Suite("Mutexes")
  struct MutexTests {
    static func mutex(_ type: Int32? = nil) -> UnsafeMutablePointer<pthread_mutex_t> {
      let mutex = allocated(pthread_mutex_t())
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      if let type { pthread_mutexattr_settype(&attributes, type) }
      // Hidden: another suite tests the creation and destruction of locks.
      interlock_events_hide_thread(true)
      pthread_mutex_init(mutex, &attributes)
      interlock_events_hide_thread(false)
      return mutex
    }

    @Test("A free mutex publishes its acquisition and its release, with their lines")
    func free() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let mutex = Self.mutex()
      let locked = nextLine()
      pthread_mutex_lock(mutex)
      let unlocked = nextLine()
      pthread_mutex_unlock(mutex)
      #expect(recorder.words(of: mutex.address) == ["acquire mutex", "release mutex"])
      #expect(recorder.events(of: mutex.address).map(\.line) == [locked, unlocked])
    }

    @Test("A mutex that another thread holds publishes a wait until it is unlocked")
    func contended() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      nonisolated(unsafe) let mutex = Self.mutex()
      recorder.follow(mutex.address)
      pthread_mutex_lock(mutex)
      let thread = TestThread {
        pthread_mutex_lock(mutex)
        pthread_mutex_unlock(mutex)
      }
      eventually("the other thread waits") {
        recorder.events(of: mutex.address).contains { $0.kind == INTERLOCK_EVENT_WAIT }
      }
      pthread_mutex_unlock(mutex)
      thread.join()
      let events = recorder.events(of: mutex.address)
      #expect(
        events.map(\.words) == [
          "acquire mutex", "wait mutex", "release mutex", "acquire mutex", "release mutex",
        ])
      #expect(events.map { $0.thread == thread.id } == [false, true, false, true, true])
    }

    @Test("A wait for the standard library's Mutex has the line of its user")
    func library() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let mutex = Mutex(0)
      var line = ""
      try withUnsafePointer(to: mutex) { pointer in
        nonisolated(unsafe) let pointer = pointer
        recorder.follow(UInt(bitPattern: pointer))
        var thread: TestThread?
        pointer.pointee.withLock { _ in
          line = nextLine()
          thread = TestThread { pointer.pointee.withLock { $0 += 1 } }
          eventually("the other thread waits") {
            !recorder.events(of: UInt(bitPattern: pointer)).isEmpty
          }
        }
        try #require(thread).join()
        let wait = try #require(recorder.events(of: UInt(bitPattern: pointer)).first)
        #expect(wait.kind == INTERLOCK_EVENT_WAIT)
        #expect(wait.line == line)
      }
    }

    @Test("A tried mutex is published only if it was acquired, and the result is unchanged")
    func tried() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let mutex = Self.mutex()
      let results = [pthread_mutex_trylock(mutex), pthread_mutex_trylock(mutex)]
      pthread_mutex_unlock(mutex)
      #expect(results == [0, EBUSY])
      #expect(recorder.words(of: mutex.address) == ["acquire mutex", "release mutex"])
    }

    @Test("A mutex wait with a limit publishes that the thread gave up")
    func timed() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      nonisolated(unsafe) let mutex = Self.mutex()
      // Followed before the thread begins, because the limit may pass while the thread begins.
      recorder.follow(mutex.address)
      pthread_mutex_lock(mutex)
      let thread = TestThread {
        var end = moment(in: 0.01)
        let result = pthread_mutex_timedlock(mutex, &end)
        #expect(result == ETIMEDOUT)
      }
      thread.join()
      pthread_mutex_unlock(mutex)
      var end = moment(in: 10)
      let result = pthread_mutex_timedlock(mutex, &end)
      pthread_mutex_unlock(mutex)
      #expect(result == 0)
      let words = recorder.words(of: mutex.address)
      #expect(words.suffix(3) == ["wait mutex limit", "acquire mutex limit", "release mutex"])
      #expect(words.contains("give-up mutex"))
    }

    @Test("A recursive mutex is acquired again, and an error-checking one refuses")
    func kinds() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let recursive = Self.mutex(Int32(PTHREAD_MUTEX_RECURSIVE))
      let checking = Self.mutex(Int32(PTHREAD_MUTEX_ERRORCHECK))
      let results = [
        pthread_mutex_lock(recursive), pthread_mutex_lock(recursive),
        pthread_mutex_unlock(recursive), pthread_mutex_unlock(recursive),
        pthread_mutex_unlock(recursive),
        pthread_mutex_lock(checking), pthread_mutex_lock(checking),
        pthread_mutex_trylock(checking), pthread_mutex_unlock(checking),
        pthread_mutex_unlock(checking),
      ]
      #expect(results == [0, 0, 0, 0, EPERM, 0, EDEADLK, EBUSY, 0, EPERM])
      #expect(
        recorder.words(of: checking.address).prefix(3)
          == ["acquire mutex", "wait mutex", "give-up mutex"])
      #expect(
        recorder.words(of: recursive.address).prefix(2) == ["acquire mutex", "acquire mutex"])
    }

    @Test("A robust mutex passes to the next thread when its holder has died")
    func robust() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      for isTried in [false, true] {
        nonisolated(unsafe) let mutex = allocated(pthread_mutex_t())
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_setrobust(&attributes, Int32(PTHREAD_MUTEX_ROBUST))
        pthread_mutex_init(mutex, &attributes)
        TestThread { pthread_mutex_lock(mutex) }.join()
        let result = isTried ? pthread_mutex_trylock(mutex) : pthread_mutex_lock(mutex)
        #expect(result == EOWNERDEAD)
        #expect(recorder.words(of: mutex.address).last == "acquire mutex")
        pthread_mutex_consistent(mutex)
        #expect(pthread_mutex_unlock(mutex) == 0)
        // A mutex that is unlocked without being made consistent is lost.
        TestThread { pthread_mutex_lock(mutex) }.join()
        #expect(pthread_mutex_lock(mutex) == EOWNERDEAD)
        pthread_mutex_unlock(mutex)
        #expect(pthread_mutex_lock(mutex) == ENOTRECOVERABLE)
        #expect(recorder.words(of: mutex.address).last == "give-up mutex")
      }
    }

    @Test("A Foundation lock is published with the line that locks it, not Foundation's own")
    func foundation() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let lock = NSLock()
      let before = recorder.all.count
      let locked = nextLine()
      lock.lock()
      lock.unlock()
      let recursive = NSRecursiveLock()
      let lockedAgain = nextLine()
      recursive.lock()
      recursive.unlock()
      let events = recorder.all.dropFirst(before)
      let lines = events.filter { $0.words == "acquire mutex" }.map(\.line)
      #expect(lines.contains(locked))
      #expect(lines.contains(lockedAgain))
    }
  }
}
