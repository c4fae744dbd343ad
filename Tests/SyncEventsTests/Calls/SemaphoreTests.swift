import CInterlockEvents
import Foundation
import ProcessInspection
import Testing

extension SyncEvents {
  /// `sem_*` and `DispatchSemaphore`.
  @Suite("Semaphores")
  struct SemaphoreTests {
    static func semaphore(_ value: UInt32) -> UnsafeMutablePointer<sem_t> {
      let semaphore = allocated(sem_t())
      sem_init(semaphore, 0, value)
      return semaphore
    }

    @Test("A POSIX semaphore publishes its first value, waits and posts, with their lines")
    func posix() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let semaphore = Self.semaphore(2)
      let waited = nextLine()
      sem_wait(semaphore)
      let tried = sem_trywait(semaphore)
      errno = 0
      let refused = sem_trywait(semaphore)
      let error = errno
      let posted = nextLine()
      sem_post(semaphore)
      #expect([tried, refused] == [0, -1])
      #expect(error == EAGAIN)
      let events = recorder.events(of: semaphore.address)
      #expect(
        events.map(\.words) == [
          "create semaphore", "wait semaphore", "acquire semaphore", "acquire semaphore",
          "release semaphore",
        ])
      #expect(events.first?.value == 2)
      #expect(events[1].line == waited)
      #expect(events[4].line == posted)
    }

    @Test("A POSIX semaphore wait gives up in time, with its error")
    func posixTimed() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let semaphore = Self.semaphore(0)
      var end = moment(in: 0.01)
      errno = 0
      let result = sem_timedwait(semaphore, &end)
      let error = errno
      #expect(result == -1)
      #expect(error == ETIMEDOUT)
      sem_post(semaphore)
      var later = moment(in: 10)
      #expect(sem_timedwait(semaphore, &later) == 0)
      #expect(
        recorder.words(of: semaphore.address) == [
          "create semaphore", "wait semaphore limit", "give-up semaphore", "release semaphore",
          "wait semaphore limit", "acquire semaphore limit",
        ])
    }

    @Test("A Dispatch semaphore publishes its first value and signals, and no wait if it is free")
    func dispatch() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let made = nextLine()
      let semaphore = DispatchSemaphore(value: 1)
      let waited = nextLine()
      semaphore.wait()
      let signalled = nextLine()
      semaphore.signal()
      let events = recorder.events(of: semaphore)
      #expect(
        events.map(\.words) == ["create semaphore", "acquire semaphore", "release semaphore"])
      #expect(events.first?.value == 1)
      #expect(events.map(\.line) == [made, waited, signalled])
    }

    @Test(
      "A Dispatch semaphore wait gives up in time, and a check without waiting is not published"
    )
    func dispatchTimed() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let semaphore = DispatchSemaphore(value: 0)
      let results = [
        semaphore.wait(timeout: .now() + .milliseconds(10)),
        semaphore.wait(timeout: DispatchTime(uptimeNanoseconds: 1)),
      ]
      #expect(results == [.timedOut, .timedOut])
      #expect(
        recorder.words(of: semaphore).prefix(3) == [
          "create semaphore", "wait semaphore limit", "give-up semaphore",
        ])
      #expect(!recorder.words(of: semaphore).contains("acquire semaphore"))
      semaphore.signal()
      #expect(semaphore.wait(timeout: .distantFuture) == .success)
      #expect(
        recorder.words(of: semaphore).suffix(2) == ["release semaphore", "acquire semaphore"])
    }

    @Test("A Dispatch semaphore wakes another thread")
    func dispatchWakes() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let semaphore = DispatchSemaphore(value: 0)
      recorder.follow(semaphore)
      let waiter = TestThread { semaphore.wait() }
      eventually("it waits") { recorder.words(of: semaphore).contains("wait semaphore") }
      semaphore.signal()
      waiter.join()
      let events = recorder.events(of: semaphore).dropFirst(
        recorder.events(of: semaphore).count - 3)
      #expect(
        events.map(\.words) == ["wait semaphore", "release semaphore", "acquire semaphore"])
      #expect(events.map { $0.thread == waiter.id } == [true, false, true])
    }
  }

  /// `pthread_join`.
  @Suite("Threads")
  struct ThreadTests {
    @Test("The join of a thread is published by its handle, and returns its result")
    func join() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      var handle = pthread_t()
      pthread_create(&handle, nil, { _ in UnsafeMutableRawPointer(bitPattern: 42) }, nil)
      var result: UnsafeMutableRawPointer?
      let joined = nextLine()
      let code = pthread_join(handle, &result)
      #expect(code == 0)
      #expect(result == UnsafeMutableRawPointer(bitPattern: 42))
      let events = recorder.events(of: UInt(handle)).filter {
        $0.objectKind == INTERLOCK_OBJECT_THREAD
      }
      #expect(events.map(\.words) == ["wait thread", "acquire thread"])
      #expect(events.map(\.line) == [joined, joined])
    }

    @Test("The join of a thread that cannot be joined returns an error")
    func joinItself() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let thread = TestThread {
        recorder.follow(thread: Platform.thisThread)
        let code = pthread_join(pthread_self(), nil)
        #expect(code == EDEADLK)
      }
      thread.join()
      let words = recorder.events(of: UInt(thread.handle)).filter { $0.thread == thread.id }
        .map(\.words)
      #expect(words == ["wait thread", "give-up thread"])
    }
  }
}
