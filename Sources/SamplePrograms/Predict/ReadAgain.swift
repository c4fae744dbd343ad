import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc
import Programs
#endif

/// A reader that takes the read lock again: a writer may come in between, and blocks the second
/// read if the lock prefers writers.
let readAgainPrograms: [Program] = [
  Program(
    "read-again-where-writers-come-first",
    "a thread reads twice under a POSIX rwlock that prefers writers, another writes",
    .predicts(.lockOrder), source: .recursiveReads,
    { readAgain(PreferringLock(writers: true), writes: true) }),
  Program(
    "read-again-in-a-barrier-queue",
    "a sync on a concurrent queue calls another, and barriers are handed to it",
    .predicts(.lockOrder), source: .recursiveReads,
    readAgainInABarrierQueue),
  Program(
    "read-again-where-readers-come-first",
    "a thread reads twice under a POSIX rwlock that prefers readers, another writes", .predicts(),
    source: .recursiveReads,
    { readAgain(PreferringLock(writers: false), writes: true) }),
  Program(
    "read-again-and-never-written",
    "a thread reads twice under a POSIX rwlock that prefers writers, and no thread writes",
    .predicts(), source: .recursiveReads,
    { readAgain(PreferringLock(writers: true), writes: false) }),
  Program(
    "read-again-without-barriers", "syncs on a concurrent queue call others, without a barrier",
    .predicts(), source: .recursiveReads,
    readAgainWithoutBarriers),
  Program(
    "read-again-under-a-gate",
    "a sync on a concurrent queue calls another under an NSLock, under which it is written too",
    .predicts(), source: .recursiveReads,
    readAgainUnderAGate),
]

/// A POSIX read-write lock with a given preference.
private final class PreferringLock: @unchecked Sendable {
  // Its address is the lock.
  private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  init(writers: Bool) {
    var attributes = pthread_rwlockattr_t()
    pthread_rwlockattr_init(&attributes)
    #if canImport(Glibc)
    let kind = writers ? PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP : PTHREAD_RWLOCK_DEFAULT_NP
    pthread_rwlockattr_setkind_np(&attributes, Int32(kind))
    #endif
    pthread_rwlock_init(lock, &attributes)
    pthread_rwlockattr_destroy(&attributes)
  }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  func read(_ body: () -> Void) {
    pthread_rwlock_rdlock(lock)
    body()
    pthread_rwlock_unlock(lock)
  }

  func write(_ body: () -> Void) {
    pthread_rwlock_wrlock(lock)
    body()
    pthread_rwlock_unlock(lock)
  }
}

/// Wrong if the lock prefers writers: a writer that waits for the first read blocks the second.
/// pthread_rwlockattr_setkind_np(3).
private func readAgain(_ table: PreferringLock, writes: Bool) {
  inTurn({ table.read { table.read {} } }, { if writes { table.write {} } })
}

/// Wrong: the second sync waits behind a barrier that waits for the first. Apple, "Dispatch
/// Queues": a barrier block waits for all blocks before it, and all blocks after it wait for the
/// barrier.
private func readAgainInABarrierQueue() {
  let table = DispatchQueue(label: "table", attributes: .concurrent)
  inTurn({ table.sync { table.sync {} } }, { table.async(flags: .barrier) {} })
  table.sync {}
}

/// Right: without a writer, no reader waits.
private func readAgainWithoutBarriers() {
  let table = DispatchQueue(label: "table", attributes: .concurrent)
  let other = DispatchQueue(label: "other", attributes: .concurrent)
  @Sendable func read() {
    for _ in 0..<50 { table.sync { table.sync { other.async(flags: .barrier) {} } } }
  }
  together(read, read)
  other.sync(flags: .barrier) {}
}

/// Right: the lock keeps the barriers from coming between the two reads.
private func readAgainUnderAGate() {
  let gate = NSLock()
  let table = DispatchQueue(label: "table", attributes: .concurrent)
  together(
    { for _ in 0..<50 { gate.withLock { table.sync { table.sync {} } } } },
    { for _ in 0..<50 { gate.withLock { table.async(flags: .barrier) {} } } },
    { for _ in 0..<50 { gate.withLock { table.sync(flags: .barrier) {} } } })
  table.sync {}
}
