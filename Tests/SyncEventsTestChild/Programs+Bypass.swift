import CInterlockEvents
import Foundation
import Synchronization

extension Programs {
  private static let heard = Atomic(0)

  /// Redirects the libraries' calls past the readers and back. Prints the events recorded before,
  /// in and after the bypass, and whether calls still work.
  static func bypass() {
    // Relaxed: only the main thread adds to the count, and reads it afterwards.
    let reader: interlock_reader = { _, _ in Programs.heard.wrappingAdd(1, ordering: .relaxed) }
    let kinds = UInt32(INTERLOCK_EVENT_ACQUIRE.rawValue)
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    let lock = NSLock()
    func count(_ body: () -> Void) -> Int {
      let before = heard.load(ordering: .relaxed)
      _ = interlock_events_add(reader, nil, kinds)
      body()
      interlock_events_remove(reader, nil)
      return heard.load(ordering: .relaxed) - before
    }
    func foundations() -> Int {
      count {
        lock.lock()
        lock.unlock()
      }
    }
    _ = interlock_events_add(reader, nil, kinds)
    let isRefused = !interlock_events_bypass(true)
    interlock_events_remove(reader, nil)
    let before = foundations()
    let isDone = interlock_events_bypass(true) && interlock_events_bypass(true)
    let after = foundations()
    let own = count {
      pthread_mutex_lock(mutex)
      pthread_mutex_unlock(mutex)
    }
    let works = works()
    let isBack = interlock_events_bypass(false)
    print(isRefused, before, isDone, after, own, works, isBack, foundations(), Programs.works())
  }

  /// Whether threads, queues, groups, semaphores, conditions and tasks still work.
  private static func works() -> Bool {
    let queue = DispatchQueue(label: "after")
    let (group, semaphore) = (DispatchGroup(), DispatchSemaphore(value: 0))
    let condition = NSCondition()
    let done = Atomic(0)
    for _ in 0..<100 {
      DispatchQueue.global().async(group: group) {
        queue.sync { _ = done.wrappingAdd(1, ordering: .sequentiallyConsistent) }
      }
    }
    group.wait()
    Task {
      condition.withLock { condition.signal() }
      semaphore.signal()
    }
    semaphore.wait()
    _ = condition.withLock { condition.wait(until: Date() + 0.001) }
    return done.load(ordering: .sequentiallyConsistent) == 100
  }
}
