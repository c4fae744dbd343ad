package import LockStrategies

/// A cache under a POSIX reader-writer lock: values are found side by side, accesses noted one at a
/// time.
///
/// **1,000 reads**: pass on every system. Both halves of a read run on the caller's own thread. To
/// note the access in the shared half would be the mistake to make here; it is a write.
package typealias ReaderWriterLockCache = LockedCache<ReaderWriterLock>
