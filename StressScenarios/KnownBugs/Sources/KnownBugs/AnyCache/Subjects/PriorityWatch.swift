import Dispatch
import InterlockStress
import LockStrategies
import Synchronization

/// A low-priority writer holds a cache's lock when a normal-priority reader arrives, on one
/// processor.
///
/// For this reason YYCache left OSSpinLock for a POSIX mutex (its commit bfadddd, "Stop using
/// spinlocks"). A reader that sleeps leaves the processor to the writer; a reader that spins keeps
/// the processor from the writer that it waits for. Linux gives a thread of SCHED_IDLE 3 parts of
/// the processor to the reader's 1,024: six milliseconds of work under the lock take two seconds.
/// (On Apple's systems, where a thread of higher QoS always goes first, they may never end.)
///
/// The check limits the processor time that the reader spends before it acquires the lock, not the
/// elapsed time: on a busy machine the elapsed time is long with either lock, while the processor
/// time does not depend on other load.
///
/// The reader always arrives while the writer holds the lock: the cache calls its observer under
/// the lock, and the observer wakes the reader.
final class PriorityWatch<Strategy: Lock>: Sendable {
  let cache: ObservedCache<Strategy>
  private let alarm = DispatchSemaphore(value: 0)
  private let wasted = Atomic(0)

  /// The writer's work under the lock after the alarm; milliseconds of its own processor time.
  /// Longer than one time slice, because the scheduler may still grant the writer one.
  private static var workMilliseconds: Double { 6 }
  /// The reader's limit while it waits: far more than going to sleep and waking take.
  private static var limitMilliseconds: Int { 100 }

  init(lock: Strategy) {
    cache = ObservedCache(lock) { [alarm] _ in
      alarm.signal()
      let end = PriorityThreads.processorMilliseconds + Self.workMilliseconds
      while PriorityThreads.processorMilliseconds < end {}
    }
  }

  /// Stores a value on a low-priority thread, and reads it on a normal-priority thread that the
  /// observer wakes. Completes when both are done.
  func setWhileWatched(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    let finished = DispatchGroup()
    finished.enter()
    PriorityThreads.start(isLow: false) { [self] in
      alarm.wait()
      let before = PriorityThreads.processorMilliseconds
      _ = cache.value(forKey: operation.key)
      let used = Int(PriorityThreads.processorMilliseconds - before)
      // Relaxed: read only after all operations have ended.
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

  /// The processor time that the reader used, and its limit.
  var waste: FinalState.Limit {
    .init(
      "milliseconds of the processor that the reader used up until it was in",
      value: wasted.load(ordering: .relaxed), limit: Self.limitMilliseconds)
  }
}
