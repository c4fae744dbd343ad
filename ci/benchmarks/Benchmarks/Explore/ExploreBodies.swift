import Dispatch
import Foundation

/// The bodies that 'bench explore' explores.
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

  /// Two threads that read and write a counter; each step takes the lock, but both steps together
  /// do not.
  static let lostUpdate: @Sendable () -> Bool = { update(2, isSplit: true) }
  /// The same counter, read and written in one step under the lock.
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

  /// A body of tasks, and the number of its orders that a user can distinguish.
  struct OfTasks: Sendable {
    let name: String
    let orders: Int
    let run: @Sendable () -> Bool

    init(
      _ name: String, _ orders: Int, tasks: Int,
      _ work: @escaping @Sendable (Trail) async -> Void
    ) {
      self.name = name
      self.orders = orders
      run = {
        let isDone = DispatchSemaphore(value: 0)
        Task {
          let trail = Trail()
          await withTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks { group.addTask { await work(trail) } }
          }
          isDone.signal()
        }
        isDone.wait()
        return true
      }
    }
  }

  /// An actor that tasks call.
  actor Trail {
    private var count = 0
    @discardableResult func add() -> Int {
      count += 1
      return count
    }
    func addAcrossYield() async {
      count += 1
      await Task.yield()
      count += 1
    }
  }

  /// Code between two calls of the actor: without it, the compiler merges both calls into one turn.
  @inline(never) private static func look(_ count: Int) {}

  @MainActor private static func onMainActor() {}

  static let ofTasks =
    zip([2, 3, 4], [(2, 6), (6, 90), (24, 2520)]).flatMap { tasks, orders in
      [
        OfTasks("group of \(tasks), nothing shared", 1, tasks: tasks) { _ in },
        OfTasks("group of \(tasks), a sleep each", 1, tasks: tasks) { _ in
          try? await Task.sleep(for: .milliseconds(1))
        },
        OfTasks("group of \(tasks), an actor call each", orders.0, tasks: tasks) {
          await $0.add()
        },
        OfTasks("group of \(tasks), a call of the main actor", orders.0, tasks: tasks) { _ in
          await onMainActor()
        },
        OfTasks("group of \(tasks), 2 actor calls each", orders.1, tasks: tasks) {
          look(await $0.add())
          await $0.add()
        },
        OfTasks("group of \(tasks), a call that yields", orders.1, tasks: tasks) {
          await $0.addAcrossYield()
        },
      ]
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
