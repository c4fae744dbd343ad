package import LockStrategies

/// A cache under a POSIX reader-writer lock: look-ups run concurrently, notes of accesses one at a
/// time.
///
/// **1,000 reads**: pass on every system. Both halves of a read run on the caller's thread. Noting
/// the access in the shared half would be a race, because it is a write.
package typealias ReaderWriterLockCache = LockedCache<ReaderWriterLock>
