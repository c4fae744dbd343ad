package import LockStrategies

/// A cache under no lock: the control that must be found out.
///
/// **1,000 reads**: a race on every system, although they only read, because a read notes its
/// access. With section tracking off it loses entries or crashes: two threads change one
/// dictionary.
package typealias UnlockedCache = LockedCache<NoLock>

extension LockedCache where Strategy == NoLock {
  /// Makes an empty cache that does not even claim a lock.
  package convenience init() {
    self.init(NoLock(), excludes: false)
  }
}
