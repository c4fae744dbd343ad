import CInterlockEvents
import Foundation
import ProcessInspection
import Testing

extension SyncEvents {
  /// `pthread_cond_*`, and `NSCondition`, which uses it.
  @Suite("Conditions")
  struct ConditionTests {
    static func condition() -> UnsafeMutablePointer<pthread_cond_t> {
      let condition = allocated(pthread_cond_t())
      pthread_cond_init(condition, nil)
      return condition
    }

    @Test("A condition publishes its initialisation, with its line")
    func made() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let condition = allocated(pthread_cond_t())
      recorder.follow(condition.address)
      let line = nextLine()
      pthread_cond_init(condition, nil)
      let events = recorder.events(of: condition.address)
      #expect(events.map(\.words) == ["create condition"])
      #expect(events.map(\.line) == [line])
    }

    @Test("A condition publishes each wait with its mutex, and each signal, with their lines")
    func signalled() throws {
      nonisolated(unsafe) let condition = Self.condition()
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      nonisolated(unsafe) let mutex = MutexTests.mutex()
      nonisolated(unsafe) let isSignalled = allocated(false)
      recorder.follow(condition.address)
      let waited = nextLine(#fileID, #line + 3)
      let waiter = TestThread {
        pthread_mutex_lock(mutex)
        while !isSignalled.pointee {
          pthread_cond_wait(condition, mutex)
        }
        pthread_mutex_unlock(mutex)
      }
      eventually("it waits") { !recorder.events(of: condition.address).isEmpty }
      pthread_mutex_lock(mutex)
      isSignalled.pointee = true
      let signalled = nextLine()
      pthread_cond_signal(condition)
      pthread_mutex_unlock(mutex)
      waiter.join()
      let events = recorder.events(of: condition.address)
      #expect(events.map(\.words) == ["wait condition", "release condition", "acquire condition"])
      #expect(events.map(\.line) == [waited, signalled, waited])
      #expect(events.map(\.other) == [mutex.address, 0, mutex.address])
    }

    @Test("A broadcast wakes every waiting thread")
    func broadcast() throws {
      nonisolated(unsafe) let condition = Self.condition()
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      nonisolated(unsafe) let mutex = MutexTests.mutex()
      nonisolated(unsafe) let isSignalled = allocated(false)
      recorder.follow(condition.address)
      let waiters = (0..<3).map { _ in
        TestThread {
          pthread_mutex_lock(mutex)
          while !isSignalled.pointee { pthread_cond_wait(condition, mutex) }
          pthread_mutex_unlock(mutex)
        }
      }
      eventually("all wait") { recorder.events(of: condition.address).count == 3 }
      pthread_mutex_lock(mutex)
      isSignalled.pointee = true
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
      for waiter in waiters { waiter.join() }
      #expect(
        recorder.words(of: condition.address)
          == Array(repeating: "wait condition", count: 3) + ["release condition"]
          + Array(repeating: "acquire condition", count: 3))
    }

    @Test("A condition wait with a limit ends in time, and holds the mutex again")
    func timed() throws {
      let condition = Self.condition()
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let mutex = MutexTests.mutex(Int32(PTHREAD_MUTEX_ERRORCHECK))
      pthread_mutex_lock(mutex)
      var end = moment(in: 0.01)
      let result = pthread_cond_timedwait(condition, mutex, &end)
      #expect(result == ETIMEDOUT)
      // This thread holds the mutex, so it can unlock it once.
      let unlocks = [pthread_mutex_unlock(mutex), pthread_mutex_unlock(mutex)]
      #expect(unlocks == [0, EPERM])
      #expect(
        recorder.words(of: condition.address) == ["wait condition limit", "acquire condition"])
    }

    @Test("An NSCondition wait without a limit has none, although Foundation passes one")
    func foundation() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let condition = NSCondition()
      nonisolated(unsafe) let isSignalled = allocated(false)
      let hasBegun = DispatchSemaphore(value: 0)
      let waiter = TestThread {
        recorder.follow(thread: Platform.thisThread)
        condition.lock()
        hasBegun.signal()
        while !isSignalled.pointee { condition.wait() }
        condition.unlock()
      }
      hasBegun.wait()
      // The lock is free only while the other thread waits.
      condition.lock()
      isSignalled.pointee = true
      condition.signal()
      condition.unlock()
      waiter.join()
      let waits = recorder.all.filter {
        $0.thread == waiter.id && $0.kind == INTERLOCK_EVENT_WAIT
          && $0.objectKind == INTERLOCK_OBJECT_CONDITION
      }
      #expect(waits.map(\.words) == ["wait condition"])
      #expect(waits.map(\.line).allSatisfy { $0.hasPrefix("ConditionTests.swift:") })
    }

    @Test("An NSCondition wait with a limit has one, and returns whether it was signalled")
    func foundationTimed() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let condition = NSCondition()
      condition.lock()
      let waited = nextLine()
      let isSignalled = condition.wait(until: Date(timeIntervalSinceNow: 0.01))
      condition.unlock()
      #expect(!isSignalled)
      let waits = recorder.all.filter { $0.words == "wait condition limit" }
      #expect(waits.map(\.line) == [waited])
    }
  }
}
