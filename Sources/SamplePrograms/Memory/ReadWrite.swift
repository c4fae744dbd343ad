import Foundation
import Programs

/// A POSIX read-write lock.
private final class ReadWriteLock: @unchecked Sendable {
  // Unchecked: the C library guards it.
  private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  init() { pthread_rwlock_init(lock, nil) }

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

/// Read-write locks, and queues with barriers that stand for them.
let readWritePrograms: [Program] = [
  Program(
    "written-under-read-lock", "two threads write while they hold a read lock", .races,
    twin: "they hold the write lock",
    wrong: {
      let counter = Counter()
      let lock = ReadWriteLock()
      onTwoThreads { lock.read { counter.add(1) } }
    },
    right: {
      let counter = Counter()
      let lock = ReadWriteLock()
      onThreads(4) { _ in
        for _ in 0..<50 {
          lock.write { counter.add(1) }
          lock.read { use(counter.value) }
        }
      }
    }),
  Program(
    "written-without-barrier", "blocks of a concurrent queue append to an array", .races,
    twin: "they are barriers",
    wrong: {
      let shelf = Shelf()
      let queue = DispatchQueue(label: "shelf", attributes: .concurrent)
      onTwoThreads { queue.sync { shelf.array.append(1) } }
    },
    right: {
      let shelf = Shelf()
      let queue = DispatchQueue(label: "shelf", attributes: .concurrent)
      onThreads(3) { _ in
        for _ in 0..<20 {
          queue.async(flags: .barrier) { shelf.array.append(1) }
          queue.sync { use(shelf.array.count) }
        }
      }
      queue.sync(flags: .barrier) { use(shelf.array) }
    }),
  Program(
    "unmarked-barrier-on-a-global-queue",
    "two threads write in a barrier of a global queue, which is none", .races,
    twin: "the queue is one of the program's own",
    wrong: {
      let counter = Counter()
      onTwoThreads { DispatchQueue.global().sync(flags: .barrier) { counter.add(1) } }
    },
    right: {
      let counter = Counter()
      let queue = DispatchQueue(label: "counter", attributes: .concurrent)
      onTwoThreads { queue.sync(flags: .barrier) { counter.add(1) } }
    }),
]
