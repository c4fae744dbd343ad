import Dispatch
import Foundation

/// The bodies that 'interlock bench explore' explores.
enum ExploreBodies {
  /// A value that the body's locks protect, or fail to.
  private final class Value: @unchecked Sendable {
    // Unchecked: only the running thread of the exploration accesses it.
    var count = 0
  }

  /// A closure for `pthread_create`.
  private final class Work {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  private static func run(_ threads: Int, _ work: @escaping @Sendable (Int) -> Void) {
    let handles = (0..<threads).map { number in
      var handle = pthread_t()
      let work = Unmanaged.passRetained(Work { work(number) }).toOpaque()
      pthread_create(
        &handle, nil,
        { argument in
          if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
          return nil
        }, work)
      return handle
    }
    for handle in handles { pthread_join(handle, nil) }
  }

  /// Threads that each lock one lock `times` times.
  static func locks(threads: Int, times: Int) -> @Sendable () -> Bool {
    {
      let lock = NSLock()
      let value = Value()
      run(threads) { _ in
        for _ in 0..<times {
          lock.lock()
          value.count += 1
          lock.unlock()
        }
      }
      return value.count == threads * times
    }
  }

  /// Threads that read a counter and write it in turn; `times` accesses each. Reads share a lock.
  static func counter(threads: Int, times: Int) -> @Sendable () -> Bool {
    {
      let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
      pthread_rwlock_init(lock, nil)
      let address = UInt(bitPattern: lock)
      run(threads) { _ in
        guard let lock = UnsafeMutablePointer<pthread_rwlock_t>(bitPattern: address) else { return }
        for access in 0..<times {
          if access.isMultiple(of: 2) {
            pthread_rwlock_rdlock(lock)
          } else {
            pthread_rwlock_wrlock(lock)
          }
          pthread_rwlock_unlock(lock)
        }
      }
      pthread_rwlock_destroy(lock)
      lock.deallocate()
      return true
    }
  }

  private static func update(_ threads: Int, isSplit: Bool) -> Bool {
    let lock = NSLock()
    let value = Value()
    run(threads) { _ in
      lock.lock()
      let old = value.count
      if isSplit {
        lock.unlock()
        lock.lock()
      }
      value.count = old + 1
      lock.unlock()
    }
    return value.count == threads
  }

  /// Two threads that read and write a counter, each step under a lock, but not both.
  static let lostUpdate: @Sendable () -> Bool = { update(2, isSplit: true) }
  /// The same in one step.
  static let keptUpdate: @Sendable () -> Bool = { update(2, isSplit: false) }

  /// A lost update, and other work under other locks.
  static let lostUpdateAmongOthers: @Sendable () -> Bool = {
    let lock = NSLock()
    let others = [NSLock(), NSLock(), NSLock()]
    let value = Value()
    run(3) { number in
      for other in others { other.withLock {} }
      let old = lock.withLock { value.count }
      others[number].withLock {}
      lock.withLock { value.count = old + 1 }
      for other in others { other.withLock {} }
    }
    return value.count == 3
  }

  /// Three tasks that yield four times each.
  static let yields: @Sendable () -> Bool = {
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<3 {
      Task {
        for _ in 0..<4 { await Task.yield() }
        done.signal()
      }
    }
    for _ in 0..<3 { done.wait() }
    return true
  }

  /// 1,000 callers that read at once through a concurrent queue, each with a semaphore over
  /// `async`.
  static let reads: @Sendable () -> Bool = {
    let callers = DispatchQueue(label: "callers", attributes: .concurrent)
    let cache = DispatchQueue(label: "cache", attributes: .concurrent)
    let group = DispatchGroup()
    for _ in 0..<1000 {
      callers.async(group: group) {
        let done = DispatchSemaphore(value: 0)
        cache.async { done.signal() }
        done.wait()
      }
    }
    group.wait()
    return true
  }
}
