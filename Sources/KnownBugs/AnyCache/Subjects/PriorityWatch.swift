import Dispatch
import LockStrategies
import StressRunner
import Synchronization

/// A writer of low priority who is in a cache's lock when a reader of normal priority comes, both
/// on one processor.
///
/// This is why YYCache left OSSpinLock for a POSIX mutex (its commit bfadddd, "Stop using
/// spinlocks"). A reader who sleeps leaves the processor to the writer; one who spins uses it up,
/// and what it waits for cannot happen. Linux gives a thread of SCHED_IDLE 3 parts of the processor
/// to the reader's 1,024: six milliseconds of work under the lock take two seconds. (On Apple's
/// systems, where a thread of higher QoS always goes first, they may never end.)
///
/// What is judged is not how long that takes, which on a busy machine is long with either lock, but
/// what it costs: the processor time that the reader uses up until it is in. It does not depend on
/// who else is there.
///
/// That the reader comes while the writer is in is no luck: the cache tells of the store under its
/// lock, and that is what wakes the reader.
final class PriorityWatch<Strategy: Lock>: Sendable {
  /// What is written and read.
  let cache: ObservedCache<Strategy>
  private let alarm = DispatchSemaphore(value: 0)
  private let wasted = Atomic(0)

  /// The writer's work under the lock after the alarm; milliseconds of its own processor time. More
  /// than a turn, of which a scheduler may still owe it one.
  private static var workMilliseconds: Double { 6 }
  /// What the reader may use up while it waits: far more than it takes to go to sleep and wake.
  private static var limitMilliseconds: Int { 100 }

  /// A cache under a lock.
  init(lock: Strategy) {
    cache = ObservedCache(lock) { [alarm] _ in
      alarm.signal()
      let end = PriorityThreads.processorMilliseconds + Self.workMilliseconds
      while PriorityThreads.processorMilliseconds < end {}
    }
  }

  /// Stores a value from a thread of low priority, and reads it from one of normal priority as soon
  /// as that hears of it. Completes when both are done.
  func setWhileWatched(
    _ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    let finished = DispatchGroup()
    finished.enter()
    PriorityThreads.start(isLow: false) { [self] in
      alarm.wait()
      let before = PriorityThreads.processorMilliseconds
      _ = cache.value(forKey: operation.key)
      let used = Int(PriorityThreads.processorMilliseconds - before)
      // Relaxed: it is read when nothing is under way any more.
      wasted.wrappingAdd(used, ordering: .relaxed)
      finished.leave()
    }
    finished.enter()
    PriorityThreads.start(isLow: true) { [cache] in
      cache.setValue(operation.value, forKey: operation.key, cost: operation.cost)
      finished.leave()
    }
    finished.wait()
    completion(.done)
  }

  /// What the reader used up, and what it may.
  var waste: FinalState.Limit {
    .init(
      "milliseconds of the processor that the reader used up until it was in",
      value: wasted.load(ordering: .relaxed), limit: Self.limitMilliseconds)
  }
}
