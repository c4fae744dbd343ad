import Caches
import Dispatch
import LockStrategies
import StressRunner
import Synchronization

/// A writer of low priority who is in a cache's lock when readers of normal priority come, all on one processor.
///
/// This is why YYCache left OSSpinLock for a POSIX mutex (its commit bfadddd, "Stop using spinlocks"). Readers
/// who sleep leave the processor to the writer; readers who spin use it up, and what they wait for cannot
/// happen. Linux gives a SCHED_IDLE thread 3 parts of the processor to each reader's 1,024: it gets its next
/// turn of a millisecond or two after half a second for each reader that spins. (On Apple's systems, where a
/// thread of higher QoS always goes first, it may never get one.)
///
/// That the readers come while the writer is in is no luck: the cache tells of the store under its lock, and that
/// is what wakes them.
final class PriorityWatch<Strategy: Lock>: Sendable {
  /// What is written and read.
  let cache: ObservedCache<Strategy>
  private let alarm = Alarm()

  /// A cache under a lock.
  init(lock: Strategy) {
    cache = ObservedCache(lock) { [alarm] _ in alarm.raise() }
  }

  /// How many readers come: enough that even on a busy machine the writer's way is mostly barred by them.
  private static var readers: Int { 32 }

  /// Stores a value from a thread of low priority, and reads it from many others as soon as they hear of it.
  /// Completes when all have read.
  func setWhileWatched(
    _ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    let (ready, finished) = (DispatchGroup(), DispatchGroup())
    for _ in 0..<Self.readers {
      ready.enter()
      finished.enter()
      PriorityThreads.start(isLow: false) { [alarm, cache] in
        ready.leave()
        alarm.waitAndPassOn()
        _ = cache.value(forKey: operation.key)
        finished.leave()
      }
    }
    ready.wait()
    finished.enter()
    PriorityThreads.start(isLow: true) { [cache] in
      cache.setValue(operation.value, forKey: operation.key, cost: operation.cost)
      finished.leave()
    }
    finished.wait()
    completion(.done)
  }
}

/// What readers wait for; each who is woken wakes the next, so that whoever raised it needs no second turn.
private final class Alarm: Sendable {
  private let isRaised = DispatchSemaphore(value: 0)
  private let digest = Atomic(UInt64(0))

  /// Wakes the readers. Before that it works for a while, as an observer does: a thread that has just begun is
  /// owed a turn by some schedulers, and would have it at once.
  func raise() {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in UInt64(0)..<20_000 { hash = (hash ^ (byte & 0xFF)) &* 0x100_0000_01b3 }
    // Relaxed: it is kept only so that the work is not left out.
    digest.store(hash, ordering: .relaxed)
    isRaised.signal()
  }

  func waitAndPassOn() {
    isRaised.wait()
    isRaised.signal()
  }
}
