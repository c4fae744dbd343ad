import CInterlockAnalysis
import CInterlockEvents
import Foundation
import Interlock
import Testing

@testable import Hangs
@testable import ProcessInspection

extension SyncEvents {
  /// The wait table's locks: the lines that made them, the threads that left them locked, and the
  /// thread that started another thread.
  @Suite("The wait table's locks")
  struct LeftLockTests {
    init() throws { try #require(interlock_waits_start()) }

    private static func left(_ object: UInt) -> interlock_left_lock? {
      interlock_events_hide_thread(true)
      defer { interlock_events_hide_thread(false) }
      let all = [interlock_left_lock](unsafeUninitializedCapacity: 64) {
        $1 = min(interlock_waits_left_locks($0.baseAddress, 64), 64)
      }
      return all.first { $0.object == object }
    }

    @Test("A lock has the line that made it, until it is destroyed")
    func made() {
      let mutex = allocated(pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
      #expect(lineOf(interlock_waits_made(mutex.address)) == nextLine(#fileID, #line - 2))
      pthread_mutex_destroy(mutex)
      #expect(interlock_waits_made(mutex.address) == 0)
      let lock = allocated(pthread_rwlock_t())
      pthread_rwlock_init(lock, nil)
      #expect(lineOf(interlock_waits_made(lock.address)) == nextLine(#fileID, #line - 2))
      #expect(interlock_waits_made(allocated(pthread_mutex_t()).address) == 0)
    }

    @Test("A lock and a signal have the calls that led to the function that made them")
    func callers() throws {
      let line = #line + 1
      let (lock, semaphore) = (madeDeep(allocated(pthread_mutex_t())), madeSemaphore())
      let condition = madeCondition()
      var signals = [
        WaitSnapshot.Signal(id: lock, kind: .mutex),
        WaitSnapshot.Signal(id: condition, kind: .condition),
      ]
      #expect(signals.indices.allSatisfy { SnapshotTaker.nameLock(&signals[$0]) })
      var view = interlock_object_view()
      try #require(interlock_waits_object(semaphore, &view))
      signals.append(SnapshotTaker.signal(view, kind: .semaphore))
      let created = signals.map { $0.created.map { lineOf($0.address) } }
      for (lines, called) in zip(created, [line, line + 1, line]) {
        let caller = "LeftLockTests.swift:\(called)"
        #expect(lines.count > 1 && lines.contains { $0.contains(caller) }, "\(lines)")
      }
      let own = created[0].filter { $0.contains("LeftLockTests.swift:") }
      #expect(own.count >= 3, "\(created)")
    }

    @inline(never)
    private func madeDeep(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> UInt {
      let address = made(mutex)
      #expect(address == mutex.address)
      return address
    }

    @inline(never)
    private func made(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> UInt {
      pthread_mutex_init(mutex, nil)
      return mutex.address
    }

    @inline(never)
    private func madeSemaphore() -> UInt {
      let semaphore = allocated(sem_t())
      sem_init(semaphore, 0, 0)
      return semaphore.address
    }

    @inline(never)
    private func madeCondition() -> UInt {
      let condition = allocated(pthread_cond_t())
      pthread_cond_init(condition, nil)
      return condition.address
    }

    @Test("A lock that no call makes has no line, whatever was at its address before")
    func replaced() throws {
      let mutex = allocated(pthread_mutex_t())
      let lock = allocated(pthread_rwlock_t())
      pthread_mutex_init(mutex, nil)
      pthread_rwlock_init(lock, nil)
      var signals = [
        (mutex.address, .mutex), (lock.address, .readLock), (lock.address, .writeLock),
      ]
      .map { WaitSnapshot.Signal(id: $0, kind: $1) }
      #expect(signals.indices.allSatisfy { SnapshotTaker.nameLock(&signals[$0]) })
      pthread_mutex_lock(mutex)
      pthread_rwlock_wrlock(lock)
      #expect(signals.indices.allSatisfy { SnapshotTaker.nameLock(&signals[$0]) })
      // Simulates memory that is freed and used again.
      mutex.initialize(to: pthread_mutex_t())
      lock.initialize(to: pthread_rwlock_t())
      #expect(signals.indices.allSatisfy { !SnapshotTaker.nameLock(&signals[$0]) })
    }

    @Test("A robust mutex has the line that made it also while a thread holds it")
    func robustMade() {
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      pthread_mutexattr_setrobust(&attributes, Int32(PTHREAD_MUTEX_ROBUST))
      let mutex = allocated(pthread_mutex_t())
      pthread_mutex_init(mutex, &attributes)
      var signal = WaitSnapshot.Signal(id: mutex.address, kind: .mutex)
      #expect(SnapshotTaker.nameLock(&signal))
      pthread_mutex_lock(mutex)
      #expect(SnapshotTaker.nameLock(&signal))
      pthread_mutex_unlock(mutex)
      #expect(SnapshotTaker.nameLock(&signal))
    }

    @Test("Locks have the lines that made them, however many come and go")
    func many() {
      for _ in 0..<200_000 {
        let lock = NSLock()
        _ = lock
      }
      let mutexes = (0..<1000).map { _ in
        let mutex = allocated(pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        return mutex
      }
      #expect(mutexes.allSatisfy { interlock_waits_made($0.address) != 0 })
      for mutex in mutexes { pthread_mutex_destroy(mutex) }
    }

    @Test("A lock that a thread left locked has the line that took it")
    func left() throws {
      nonisolated(unsafe) let mutex = MutexTests.mutex()
      nonisolated(unsafe) let written = ReadWriteLockTests.lock()
      nonisolated(unsafe) let read = ReadWriteLockTests.lock()
      let thread = TestThread {
        pthread_mutex_lock(mutex)
        pthread_rwlock_wrlock(written)
        pthread_rwlock_rdlock(read)
      }
      let first = nextLine(#fileID, #line - 5)
      let number = UInt32(thread.id)
      thread.join()
      for (object, kind) in [
        (mutex.address, INTERLOCK_OBJECT_MUTEX), (written.address, INTERLOCK_OBJECT_WRITE_LOCK),
        (read.address, INTERLOCK_OBJECT_READ_LOCK),
      ] {
        let found = try #require(Self.left(object))
        #expect(found.kind == kind.rawValue)
        #expect(found.thread == number)
        #expect(interlock_lock_is_held_by(object, kind.rawValue, number))
      }
      #expect(lineOf(try #require(Self.left(mutex.address)).place) == first)
      #expect(!interlock_lock_is_held_by(mutex.address, INTERLOCK_OBJECT_MUTEX.rawValue, 1))
      #expect(!interlock_lock_is_held_by(written.address, INTERLOCK_OBJECT_WRITE_LOCK.rawValue, 1))
      // A lock that another thread unlocks, makes anew or destroys is no longer left.
      pthread_mutex_unlock(mutex)
      pthread_rwlock_unlock(read)
      pthread_rwlock_destroy(written)
      for object in [mutex.address, written.address, read.address] {
        #expect(Self.left(object) == nil)
      }
      #expect(
        !interlock_lock_is_held_by(read.address, INTERLOCK_OBJECT_READ_LOCK.rawValue, number))
    }

    @Test("A lock counts as left only while its own word names the ended thread")
    func ownWords() {
      nonisolated(unsafe) let seen = MutexTests.mutex()
      nonisolated(unsafe) let unseen = MutexTests.mutex()
      let thread = TestThread {
        pthread_mutex_lock(seen)
        interlock_events_hide_thread(true)
        pthread_mutex_lock(unseen)
        interlock_events_hide_thread(false)
      }
      let number = thread.id
      thread.join()
      let waiters = [seen, unseen].map {
        WaitSnapshot.Thread(id: 1, wait: .init(kind: .mutex, object: $0.address))
      }
      interlock_events_hide_thread(true)
      defer { interlock_events_hide_thread(false) }
      let left = SnapshotTaker.leftLocks(for: waiters)
      #expect(Set(left.map(\.object)) == [seen.address, unseen.address])
      #expect(left.allSatisfy { $0.thread == number })
      // Simulates reused memory: no call shows the change.
      for mutex in [seen, unseen] { mutex.pointee = pthread_mutex_t() }
      #expect(SnapshotTaker.leftLocks(for: waiters) == [])
    }

    @Test("A lock has the writer that its own word names, if nothing saw the acquisition")
    func unseenWriter() throws {
      nonisolated(unsafe) let lock = ReadWriteLockTests.lock()
      let isHeld = DispatchSemaphore(value: 0)
      let mayEnd = DispatchSemaphore(value: 0)
      let writer = TestThread {
        interlock_events_hide_thread(true)
        pthread_rwlock_wrlock(lock)
        interlock_events_hide_thread(false)
        isHeld.signal()
        mayEnd.wait()
        pthread_rwlock_unlock(lock)
      }
      isHeld.wait()
      let reader = TestThread {
        pthread_rwlock_rdlock(lock)
        pthread_rwlock_unlock(lock)
      }
      _ = try #require(TableTests.thread(reader.id, waitsFor: .readLock))
      let found = try #require(TableTests.thread(writer.id, waitsFor: .semaphore))
      #expect(found.held.map(\.object) == [lock.address])
      #expect(found.held.map(\.kind) == [.writeLock])
      mayEnd.signal()
      writer.join()
      reader.join()
    }

    @Test("A robust lock whose holder ends is not left")
    func robust() {
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      pthread_mutexattr_setrobust(&attributes, Int32(PTHREAD_MUTEX_ROBUST))
      nonisolated(unsafe) let mutex = allocated(pthread_mutex_t())
      pthread_mutex_init(mutex, &attributes)
      let thread = TestThread { pthread_mutex_lock(mutex) }
      let number = UInt32(thread.id)
      thread.join()
      #expect(!interlock_lock_is_held_by(mutex.address, INTERLOCK_OBJECT_MUTEX.rawValue, number))
    }

    @Test("A thread in a snapshot has the thread that started it")
    func startedBy() throws {
      let mayEnd = DispatchSemaphore(value: 0)
      let thread = TestThread { mayEnd.wait() }
      let found = try #require(TableTests.thread(thread.id, waitsFor: .semaphore))
      #expect(found.startedBy == Platform.thisThread)
      mayEnd.signal()
      thread.join()
    }
  }
}
