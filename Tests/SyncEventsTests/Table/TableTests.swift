import CInterlockAnalysis
import CInterlockEvents
import Foundation
import Hangs
import Interlock
import ProcessInspection
import Synchronization
import Testing

extension SyncEvents {
  /// The wait table's threads, in a known state.
  @Suite("The wait table")
  struct TableTests {
    init() throws { try #require(interlock_waits_start()) }

    /// A thread in a snapshot, once the thread waits for something.
    static func thread(
      _ id: Int, waitsFor kind: WaitSnapshot.ObjectKind,
      at location: SourceLocation = #_sourceLocation
    ) -> WaitSnapshot.Thread? {
      var found: WaitSnapshot.Thread?
      eventually("thread \(id) waits for a \(kind)", at: location) {
        found = Self.snapshot().threads.first { $0.id == id && $0.wait?.kind == kind }
        return found != nil
      }
      return found
    }

    /// A snapshot by a thread that is hidden while it takes it.
    static func snapshot() -> WaitSnapshot {
      interlock_events_hide_thread(true)
      defer { interlock_events_hide_thread(false) }
      return SnapshotTaker().take().snapshot
    }

    static func line(_ frames: [StackFrame]) -> String { lineOf(frames.first?.address ?? 0) }

    @Test("A thread is listed with its held locks and its wait, with their lines")
    func locks() throws {
      nonisolated(unsafe) let held = MutexTests.mutex()
      nonisolated(unsafe) let wanted = MutexTests.mutex()
      nonisolated(unsafe) let shared = ReadWriteLockTests.lock()
      pthread_mutex_lock(wanted)
      let first = nextLine(#fileID, #line + 1)
      let thread = TestThread {
        pthread_mutex_lock(held)
        pthread_rwlock_rdlock(shared)
        pthread_mutex_lock(wanted)
        pthread_mutex_unlock(wanted)
        pthread_rwlock_unlock(shared)
        pthread_mutex_unlock(held)
      }
      let found = try #require(Self.thread(thread.id, waitsFor: .mutex))
      #expect(found.held.map(\.kind) == [.mutex, .readLock])
      #expect(found.held.map(\.object) == [held.address, shared.address])
      #expect(found.held.first.map { Self.line($0.place) } == first)
      let wait = try #require(found.wait)
      #expect(wait.object == wanted.address)
      #expect(Self.line(wait.place) == nextLine(#fileID, #line - 12))
      #expect(!wait.hasTimeLimit)
      let own = Self.snapshot().threads.first { $0.id == Platform.thisThread }
      #expect(own?.held.contains { $0.object == wanted.address } ?? false)
      pthread_mutex_unlock(wanted)
      thread.join()
      let after = Self.snapshot()
      #expect(!after.threads.contains { $0.id == thread.id })
      #expect(
        !after.threads.contains { thread in
          thread.held.contains { [held, wanted].map(\.address).contains($0.object) }
        })
    }

    @Test("A snapshot of threads that the caller has stopped lists only these threads, as blocked")
    func stoppedThread() throws {
      let isOver = Atomic(false)
      // Relaxed: the thread only has to see the store at some time.
      let thread = TestThread { while !isOver.load(ordering: .relaxed) {} }
      defer { isOver.store(true, ordering: .relaxed) }
      interlock_events_hide_thread(true)
      defer { interlock_events_hide_thread(false) }
      var taker = SnapshotTaker()
      let running = taker.take().snapshot.threads.first { $0.id == thread.id }
      #expect(running?.elsewhere == .running)
      taker.stoppedThreads = [thread.id]
      let stopped = taker.take().snapshot.threads
      #expect(stopped.map(\.id) == [thread.id])
      #expect(stopped.first?.elsewhere == .unknown)
    }

    @Test("A recursive lock is counted, and a condition's mutex is not held during the wait")
    func conditions() throws {
      nonisolated(unsafe) let mutex = MutexTests.mutex(Int32(PTHREAD_MUTEX_RECURSIVE))
      nonisolated(unsafe) let other = MutexTests.mutex()
      nonisolated(unsafe) let condition = ConditionTests.condition()
      nonisolated(unsafe) let isSignalled = allocated(false)
      let mayEnd = DispatchSemaphore(value: 0)
      let thread = TestThread {
        pthread_mutex_lock(other)
        pthread_mutex_lock(mutex)
        while !isSignalled.pointee { pthread_cond_wait(condition, mutex) }
        pthread_mutex_lock(mutex)
        pthread_mutex_unlock(mutex)
        mayEnd.wait()
        pthread_mutex_unlock(mutex)
        pthread_mutex_unlock(other)
      }
      let waiting = try #require(Self.thread(thread.id, waitsFor: .condition))
      #expect(waiting.wait?.object == condition.address)
      #expect(waiting.held.map(\.object) == [other.address])
      pthread_mutex_lock(mutex)
      isSignalled.pointee = true
      pthread_cond_signal(condition)
      pthread_mutex_unlock(mutex)
      let back = try #require(Self.thread(thread.id, waitsFor: .semaphore))
      #expect(Set(back.held.map(\.object)) == [mutex.address, other.address])
      mayEnd.signal()
      thread.join()
    }

    @Test("A recursive lock is held until its last release, also beyond an entry's limit")
    func deepRecursion() {
      let mutex = MutexTests.mutex(Int32(PTHREAD_MUTEX_RECURSIVE))
      func isHeld() -> Bool {
        let own = Self.snapshot().threads.first { $0.id == Platform.thisThread }
        return own?.held.contains { $0.object == mutex.address } ?? false
      }
      let depth = Int(UInt16.max) + 10
      for _ in 0..<depth { pthread_mutex_lock(mutex) }
      #expect(isHeld())
      for _ in 1..<depth { pthread_mutex_unlock(mutex) }
      #expect(isHeld())
      pthread_mutex_unlock(mutex)
      #expect(!isHeld())
    }

    @Test("A semaphore has the places that created and signalled it, and the number of waits")
    func signals() throws {
      let made = nextLine()
      let semaphore = DispatchSemaphore(value: 0)
      let signalled = nextLine()
      semaphore.signal()
      semaphore.wait()
      let thread = TestThread { semaphore.wait() }
      let found = try #require(Self.thread(thread.id, waitsFor: .semaphore))
      #expect(found.wait?.object == semaphore.address)
      let signal = try #require(Self.snapshot().signals.first { $0.id == semaphore.address })
      #expect(signal.kind == .semaphore)
      #expect(signal.value == 0)
      #expect(Self.line(signal.created) == made)
      #expect(signal.waits == 2)
      #expect(signal.releases == 1)
      #expect(signal.releasePlaces.map { Self.line([$0]) } == [signalled])
      semaphore.signal()
      thread.join()
    }

    @Test("A wait has its limit, and a group has the places that entered it")
    func groups() throws {
      let group = DispatchGroup()
      let entered = nextLine()
      group.enter()
      let thread = TestThread { _ = group.wait(timeout: .now() + 600) }
      let found = try #require(Self.thread(thread.id, waitsFor: .group))
      #expect(found.wait?.hasTimeLimit ?? false)
      let signal = try #require(Self.snapshot().signals.first { $0.id == group.address })
      #expect(signal.enters == 1)
      #expect(signal.releases == 0)
      #expect(signal.enterPlaces.map { Self.line([$0]) } == [entered])
      group.leave()
      thread.join()
    }

    @Test("A thread that joins has the joined thread")
    func joins() throws {
      let gate = DispatchSemaphore(value: 0)
      let joined = TestThread { gate.wait() }
      let thread = TestThread { joined.join() }
      let found = try #require(Self.thread(thread.id, waitsFor: .thread))
      #expect(found.wait?.object == UInt(joined.id))
      gate.signal()
      thread.join()
    }
  }
}
