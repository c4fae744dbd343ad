import Caches
import Foundation
import LockStrategies

/// The measured caches, one line each; a new family adds its memory cache here.
///
/// A cache whose design costs more (an actor's hop, another thread, Foundation's own code) has no
/// budget; `byDesign` gives the reason.
private let measuredCaches: [CacheHit] = [
  CacheHit("LockedCache, POSIX mutex") { LockedCache(PthreadMutexLock()) },
  CacheHit("LockedCache, semaphore of 1") { LockedCache(SemaphoreLock()) },
  CacheHit("LockedCache, Synchronization.Mutex") { LockedCache(StandardLibraryMutexLock()) },
  CacheHit("LockedCache, NSLock") { LockedCache(FoundationLock()) },
  CacheHit("LockedCache, reader-writer lock", byDesign: "a POSIX reader-writer lock, twice") {
    LockedCache(ReaderWriterLock())
  },
  CacheHit("LockedCache, spin lock") { LockedCache(SpinLock()) },
  CacheHit(awaiting: "ActorCache", byDesign: "the hop to the actor and back") { ActorCache() },
]

/// The cost of an uncontended hit in a memory cache, relative to a dictionary under `NSLock`.
enum CachesBench {
  /// Measures and prints the table.
  static func run() {
    let (measured, difference) = UnseenCalls.measure { CacheHit.measure(measuredCaches) }
    CacheHit.show(measuredCaches, measured)
    print("  " + difference)
  }
}
