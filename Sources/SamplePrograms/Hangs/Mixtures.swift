import Dispatch
import Foundation
import PredictPrograms
import Programs
import Synchronization

/// Two kinds of primitives in one cycle.
let mixedPrograms: [Program] = [
  Program(
    "lock-and-queue-crossed",
    "a thread holds an NSLock and syncs on a queue whose block wants the lock", .hangs(.cycle),
    source: "A lock and a queue for one object, entered in two orders",
    lockAndQueueCrossed),
  Program(
    "main-sync-under-lock", "a thread syncs on the main queue under an NSLock that main wants",
    .hangs(.cycle), source: "DispatchQueue.main.sync under the model's lock",
    mainSyncUnderLock),
  Program(
    "mutex-and-barrier-crossed", "a Synchronization.Mutex and a barrier are taken in two orders",
    .hangs(.cycle), source: "A reader-writer queue beside a mutex, entered in two orders",
    mutexAndBarrierCrossed),
  Program(
    "read-write-lock-and-mutex", "a reader wants a mutex whose holder wants to write",
    .hangs(.cycle),
    source: "Goetz et al., \"Java Concurrency in Practice\", 10.1: two kinds of lock",
    readWriteLockAndMutex),
  Program(
    "group-awaited-under-lock",
    "a thread waits under an NSLock for a group whose block wants the lock", .hangs(.cycle),
    source: "CERT Secure Coding Standard for Java, LCK09-J: do not block while holding a lock",
    groupAwaitedUnderLock),
  Program(
    "work-item-awaited-under-lock",
    "a thread waits under a lock for a work item that wants the lock", .hangs(.cycle),
    source: "CERT Oracle Secure Coding Standard for Java, LCK09-J, with a work item",
    workItemAwaitedUnderLock),
  Program(
    "operations-awaited-under-lock",
    "a thread waits under a lock for operations, one of which wants the lock", .hangs(.cycle),
    source: "CERT Oracle Secure Coding Standard for Java, LCK09-J, with operations",
    operationsAwaitedUnderLock),
  Program(
    "thread-awaited-under-lock",
    "a thread waits under a mutex for the end of a thread that wants the mutex", .hangs(.cycle),
    source: "A stop() that waits for its thread under the lock that the thread needs",
    threadAwaitedUnderLock),
  Program(
    "nested-monitor", "a thread waits at a condition under a lock that the signaller needs",
    .hangs(.cycle), source: "A. Lister, \"The problem of nested monitor calls\", 1977",
    nestedMonitor),
  Program(
    "task-awaited-under-lock", "a thread waits under an NSLock for a task that wants the lock",
    .hangs(.cycle), source: "CERT Oracle Secure Coding Standard for Java, LCK09-J, with a task",
    taskAwaitedUnderLock),
]

/// Wrong: two call paths, one taking `lock` then `queue`, the other in the opposite order.
private func lockAndQueueCrossed() {
  let lock = NSLock()
  let queue = DispatchQueue(label: "index")
  let meeting = Meeting()
  queue.async {
    meeting.come()
    lock.withLock {}
  }
  lock.withLock {
    meeting.comeToo()
    queue.sync {}
  }
}

/// Wrong: a model, edited under a lock, notifies the user interface and waits, while the user
/// interface reads the model.
private func mainSyncUnderLock() {
  let model = NSLock()
  let meeting = Meeting()
  DispatchQueue.main.async {
    meeting.come()
    model.withLock {}
  }
  model.withLock {
    meeting.comeToo()
    DispatchQueue.main.sync {}
  }
}

/// Wrong: as the lock and the queue; this queue admits readers together, and a writer alone.
private func mutexAndBarrierCrossed() {
  final class Index: Sendable {
    let entries = Mutex<[String: Int]>([:])
    let queue = DispatchQueue(label: "index", attributes: .concurrent)
  }

  let index = Index()
  let meeting = Meeting()
  Thread.detachNewThread {
    index.queue.sync(flags: .barrier) {
      meeting.come()
      index.entries.withLock { $0["a"] = 1 }
    }
  }
  index.entries.withLock { entries in
    meeting.comeToo()
    entries["b"] = index.queue.sync { 2 }
  }
}

/// Wrong: the table's lock and the log's mutex are taken in two orders.
private func readWriteLockAndMutex() {
  let table = PosixReadWriteLock()
  let log = PosixMutex()
  let meeting = Meeting()
  Thread.detachNewThread {
    table.lockToRead()
    meeting.come()
    log.lock()
    log.unlock()
    table.unlock()
  }
  log.lock()
  meeting.comeToo()
  table.lockToWrite()
  table.unlock()
  log.unlock()
}

/// Wrong: the waiting thread holds the lock that the blocks need.
private func groupAwaitedUnderLock() {
  let lock = NSLock()
  let uploads = DispatchGroup()
  lock.lock()
  for _ in 0..<2 {
    DispatchQueue.global().async(group: uploads) {
      lock.withLock {}
    }
  }
  uploads.wait()
  lock.unlock()
}

/// Wrong: as with the group. A recursive lock does not help: the item runs on another thread.
private func workItemAwaitedUnderLock() {
  let lock = NSRecursiveLock()
  let item = DispatchWorkItem {
    lock.withLock {}
  }
  lock.withLock {
    DispatchQueue.global().async(execute: item)
    item.wait()
  }
}

/// Wrong: as with the group, with operations.
private func operationsAwaitedUnderLock() {
  let lock = NSLock()
  let queue = OperationQueue()
  lock.withLock {
    queue.addOperation {
      lock.withLock {}
    }
    queue.waitUntilAllOperationsAreFinished()
  }
}

/// Wrong: `stop()` holds the lock that the thread needs in order to end.
private func threadAwaitedUnderLock() {
  let mutex = PosixMutex()
  let ended = DispatchSemaphore(value: 0)
  mutex.lock()
  Thread.detachNewThread {
    mutex.lock()
    mutex.unlock()
    ended.signal()
  }
  ended.wait()
  mutex.unlock()
}

/// Wrong: waiting at a condition releases that condition's lock, but not the outer one. Lister,
/// "The problem of nested monitor calls", 1977.
private func nestedMonitor() {
  let outer = NSLock()
  let filled = NSCondition()
  let locked = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    locked.wait()
    outer.withLock {
      filled.lock()
      filled.signal()
      filled.unlock()
    }
  }
  outer.withLock {
    filled.lock()
    locked.signal()
    filled.wait()
    filled.unlock()
  }
}

/// Wrong: as with the group, with a task.
private func taskAwaitedUnderLock() {
  let lock = NSLock()
  let finished = DispatchSemaphore(value: 0)
  lock.withLock {
    Task.detached {
      lock.withLock {}
      finished.signal()
    }
    finished.wait()
  }
}
