import Dispatch
import Foundation
import InterlockTesting
import Testing

/// Keeps objects for the life of the process.
private enum Attic {
  private static let lock = NSLock()
  nonisolated(unsafe) private static var values: [Any] = []

  static func keep(_ value: Any) { lock.withLock { values.append(value) } }
}

/// A lock of the C library on the heap, which is never destroyed.
private final class HeapLock: @unchecked Sendable {
  // Unchecked: the memory is used by the C library only.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  let readWrite = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_rwlock_init(readWrite, nil)
  }

  func lock() { pthread_mutex_lock(mutex) }
  func unlock() { pthread_mutex_unlock(mutex) }
  func unlockReadWrite() { pthread_rwlock_unlock(readWrite) }
}

private func afterAll(of queue: DispatchQueue) async {
  await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
}

/// Runs work on a new thread, and waits for the end of the thread.
private func joined(_ work: @escaping @Sendable () -> Void) {
  final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
      return nil
    }, Unmanaged.passRetained(Work(work)).toOpaque())
  pthread_join(thread, nil)
}

/// Tests that leave a lock, a queue, a source or a timer behind.
@Suite(.interlock(leaks: .fail(grace: .zero))) struct LeavingObjects {
  @Test func lockOfFoundation() {
    let lock = NSLock()
    Attic.keep(lock)
    lock.lock()  // leaves a lock
  }

  @Test func mutex() {
    let lock = HeapLock()
    Attic.keep(lock)
    lock.lock()  // leaves a mutex
  }

  @Test func readWriteLock() {
    let lock = HeapLock()
    Attic.keep(lock)
    pthread_rwlock_wrlock(lock.readWrite)  // leaves a write lock
  }

  @Test func readLock() {
    let lock = HeapLock()
    Attic.keep(lock)
    pthread_rwlock_rdlock(lock.readWrite)  // leaves a read lock
  }

  @Test func lockOfABlock() async {
    let (lock, queue) = (HeapLock(), DispatchQueue(label: "blocks"))
    Attic.keep(lock)
    queue.async { lock.lock() }  // leaves a block's lock
    await afterAll(of: queue)
  }

  @Test func lockOfATask() async {
    let lock = HeapLock()
    Attic.keep(lock)
    await Task.detached {
      await Task.yield()
      lock.lock()  // leaves a task's lock
    }.value
    // The end of a task's part is known shortly after the task's value.
    await Task.detached(priority: .background) {}.value
  }

  @Test func lockOfAThread() async {
    let lock = HeapLock()
    Attic.keep(lock)
    joined { lock.lock() }  // leaves a thread's lock
  }

  @Test func suspendedQueue() {
    let queue = DispatchQueue(label: "suspended")  // leaves a queue
    Attic.keep(queue)
    queue.suspend()
    queue.suspend()
    queue.resume()
  }

  @Test func inactiveQueue() {
    let queue = DispatchQueue(label: "inactive", attributes: .initiallyInactive)  // leaves inactive
    Attic.keep(queue)
  }

  @Test func timer() {
    let timer = DispatchSource.makeTimerSource()  // leaves a timer
    timer.schedule(deadline: .now() + 3600, repeating: 3600)
    timer.setEventHandler {}
    timer.resume()
    Attic.keep(timer)
  }

  @Test func timerOfATask() async {
    await Task.detached {
      await Task.yield()
      let timer = DispatchSource.makeTimerSource()  // leaves a task's timer
      timer.activate()
      Attic.keep(timer)
    }.value
  }

  @Test func inactiveTimer() {
    Attic.keep(DispatchSource.makeTimerSource())  // leaves an inactive timer
  }

  @Test func suspendedSource() {
    let source = DispatchSource.makeUserDataAddSource()  // leaves a source
    source.activate()
    source.suspend()
    Attic.keep(source)
  }

  @Test func delayedBlock() {
    DispatchQueue.global().asyncAfter(deadline: .now() + 3600) {}  // leaves a delayed block
  }

  @Test func delayedItem() {
    let item = DispatchWorkItem {}
    Attic.keep(item)
    DispatchQueue.global().asyncAfter(deadline: .now() + 3600, execute: item)  // leaves an item
  }

  @Test(.interlock(leaks: .fail(grace: .zero, allowing: ["STLeavingObjects.swift"])))
  func allowed() {
    timer()
    suspendedQueue()
    mutex()
  }

  @Test(.interlock(leaks: .warn(grace: .zero))) func warned() { mutex() }

  /// An outer task may run and make its inner task before the call that makes it returns.
  @Test func ofTasksJustMade() async {
    let arrivals = DispatchGroup()
    for _ in 0..<8 {
      arrivals.enter()
      Thread.detachNewThread {
        for _ in 0..<100 {
          arrivals.enter()
          Task.detached {
            await Task.yield()
            await Task.yield()
            Task.detached {  // leaves the tasks of tasks
              await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                Attic.keep(continuation)
                arrivals.leave()
              }
            }
          }
        }
        arrivals.leave()
      }
    }
    await waitForAll(arrivals)
  }
}

private func waitForAll(_ group: DispatchGroup) async {
  await withCheckedContinuation { continuation in
    group.notify(queue: .global()) { continuation.resume() }
  }
}

/// Tests like `LeavingObjects`, whose objects end. `ROUNDS` is the number of cases of each test.
@Suite(.interlock(leaks: stayingLeaks)) struct StayingObjects {
  static let rounds = Staying.rounds

  @Test(arguments: rounds) func lock(_ round: Int) async {
    let lock = NSLock()
    lock.withLock {}
    await Task.detached { lock.withLock {} }.value
  }

  /// A lock that is freed while held does not count as left.
  @Test(arguments: rounds) func freedLock(_ round: Int) { NSLock().lock() }

  @Test(arguments: rounds) func mutexes(_ round: Int) async {
    let (lock, queue) = (HeapLock(), DispatchQueue(label: "blocks"))
    for _ in 0..<3 {
      queue.async {
        lock.lock()
        lock.unlock()
        pthread_rwlock_wrlock(lock.readWrite)
        lock.unlockReadWrite()
      }
    }
    pthread_rwlock_rdlock(lock.readWrite)
    lock.unlockReadWrite()
    await afterAll(of: queue)
  }

  /// Locks that other tests use at the same time belong to no test.
  @Test(arguments: rounds) func sharedLock(_ round: Int) {
    for _ in 0..<20 {
      Self.shared.lock()
      Self.shared.unlock()
    }
  }

  private static let shared = HeapLock()

  @Test(arguments: rounds) func lockOfAThread(_ round: Int) {
    let lock = HeapLock()
    joined {
      lock.lock()
      lock.unlock()
    }
  }

  @Test(arguments: rounds) func queue(_ round: Int) async {
    let queue = DispatchQueue(label: "resumed")
    queue.suspend()
    queue.async {}
    queue.suspend()
    queue.resume()
    // In half of the cases, the queue is resumed after the test.
    if round % 2 == 0 { queue.resume() } else { DispatchQueue.global().async { queue.resume() } }
    let inactive = DispatchQueue(label: "inactive", attributes: .initiallyInactive)
    inactive.activate()
    Attic.keep(queue)
    Attic.keep(inactive)
  }

  @Test(arguments: rounds) func timer(_ round: Int) async {
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now(), repeating: .milliseconds(1))
    await withCheckedContinuation { continuation in
      timer.setEventHandler {
        guard !timer.isCancelled else { return }
        timer.cancel()
        continuation.resume()
      }
      timer.resume()
    }
    if round % 2 == 0 { Attic.keep(timer) }
  }

  /// Libdispatch cancels a source when it is released.
  @Test(arguments: rounds) func released(_ round: Int) {
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + 3600)
    timer.activate()
    let source = DispatchSource.makeUserDataAddSource()
    source.resume()
    source.add(data: 1)
    let copies = (0..<4).map { _ in source }
    Attic.keep(copies.count)
  }

  @Test(arguments: rounds) func suspendedAndCancelled(_ round: Int) {
    let source = DispatchSource.makeUserDataOrSource()
    source.activate()
    source.suspend()
    source.cancel()
    source.resume()
    Attic.keep(source)
  }

  @Test(arguments: rounds) func delayed(_ round: Int) async {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {}
    let item = DispatchWorkItem {}
    DispatchQueue.global().asyncAfter(deadline: .now() + 3600, execute: item)
    item.cancel()
  }

  @Test(arguments: rounds) func ofTasksJustMade(_ round: Int) async {
    for _ in 0..<4 {
      Task.detached {
        await Task.yield()
        Task.detached {}
      }
    }
  }
}
