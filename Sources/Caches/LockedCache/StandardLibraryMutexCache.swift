package import LockStrategies

/// A cache under `Synchronization.Mutex`, as one would write it today.
///
/// **1,000 reads**: pass on every system. On Linux the mutex knows its owner and lends it the
/// priority of those who wait; on Apple's systems it is an `os_unfair_lock`, which does so too.
package typealias StandardLibraryMutexCache = LockedCache<StandardLibraryMutexLock>
