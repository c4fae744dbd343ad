package import LockStrategies

/// A cache under a concurrent queue: values are found by `sync`, everything else is `sync` with a
/// barrier.
///
/// **1,000 reads**: pass on every system, because nothing is put on the queue by `async`: the queue
/// hands itself from one waiting caller to the next, and each runs its block on its own thread.
/// With the far more common `async` barrier for writes it would be one more `serial-queue-sync`.
package typealias BarrierQueueCache = LockedCache<BarrierQueueLock>
