package import LockStrategies

/// A cache under a POSIX mutex, as YYMemoryCache and PINCache 3 have it.
///
/// **1,000 reads**: pass on every system, for the reason that a semaphore of 1 does: whoever waits
/// needs only the one who is in.
package typealias MutexCache = LockedCache<PthreadMutexLock>
