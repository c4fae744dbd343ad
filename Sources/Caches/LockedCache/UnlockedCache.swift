package import LockStrategies

/// A cache without a lock: the control that must be detected.
///
/// **1,000 reads**: a race on every system, although the calls only read, because a read notes its
/// access. With section tracking off it loses entries or crashes: two threads change one
/// dictionary.
package typealias UnlockedCache = LockedCache<NoLock>

extension LockedCache where Strategy == NoLock {
  /// Makes an empty cache that claims no lock.
  package convenience init() {
    self.init(NoLock(), excludes: false)
  }
}
