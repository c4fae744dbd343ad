package import LockStrategies

/// A cache under `Synchronization.Mutex`, the usual choice today.
///
/// **1,000 reads**: pass on every system. On Linux the mutex has an owner, which inherits the
/// waiters' priority; on Apple's systems it is an `os_unfair_lock`, with the same inheritance.
package typealias StandardLibraryMutexCache = LockedCache<StandardLibraryMutexLock>
