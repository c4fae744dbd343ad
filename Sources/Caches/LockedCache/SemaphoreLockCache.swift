package import LockStrategies

/// A cache under a Dispatch semaphore of 1, as in PINCache 2 (2015), which repaired TMCache's
/// deadlock.
///
/// **1,000 reads**: pass on every system, from queues, threads and tasks. The holder wakes a
/// waiting reader on its own thread; no pool needs another thread.
package typealias SemaphoreLockCache = LockedCache<SemaphoreLock>
