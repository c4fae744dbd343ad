// A named place at which a scenario may hold a caller until another caller has passed a place. The
// design follows RocksDB's sync points (`util/sync_point.h`); here the order is data in a scenario
// file.

#if INTERLOCK_TRACKING
public import SectionTable
#endif

/// Marks a place in a subject where a scenario's script may hold a caller.
///
/// Costs one load if no script is set, and nothing if tracking is not compiled in. Thread-safe. Do
/// not put a sync point between acquiring and releasing a lock that another caller of the script
/// needs before its own sync point: then the order is impossible, and the trial reports that.
///
/// - Parameter name: The name of the place in scripts: words in lower camel case joined by dots,
///   the type first, such as `tmcache.get.afterDiskRead`.
@_transparent
public func SYNC_POINT(_ name: @autoclosure () -> StaticString) {
  #if INTERLOCK_TRACKING
  ArmedSyncPoints.pass(name())
  #endif
}
