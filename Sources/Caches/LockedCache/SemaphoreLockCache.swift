package import LockStrategies

/// A cache under a Dispatch semaphore of 1, as PINCache 2 has it (2015): the answer to TMCache's
/// deadlock.
///
/// **1,000 reads**: pass on every system, from queues, threads and tasks. A reader who waits is let
/// in by the one who is in, on that one's own thread; no pool needs to have another.
package typealias SemaphoreLockCache = LockedCache<SemaphoreLock>
