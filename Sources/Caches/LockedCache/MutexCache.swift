package import LockStrategies

/// A cache under a POSIX mutex, as in YYMemoryCache and PINCache 3.
///
/// **1,000 reads**: pass on every system, like a semaphore of 1: a waiter needs only the holder's
/// thread.
package typealias MutexCache = LockedCache<PthreadMutexLock>
