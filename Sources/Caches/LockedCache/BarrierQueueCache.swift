package import LockStrategies

/// A cache under a concurrent queue: look-ups use `sync`, everything else `sync` with a barrier.
///
/// **1,000 reads**: pass on every system, because no call uses `async`: the queue passes from one
/// waiting caller to the next, and each runs its block on its own thread. With the far more common
/// `async` barrier for writes it would fail like `serial-queue-sync`.
package typealias BarrierQueueCache = LockedCache<BarrierQueueLock>
