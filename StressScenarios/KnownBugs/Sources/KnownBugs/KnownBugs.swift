import Caches
package import InterlockStress
import LockStrategies

/// Caches as shipped, each with its repaired twin, and mistakes that any cache can have.
///
/// A list for each system, in the order of `known-bugs list`.
package let knownBugSubjects: [SubjectEntry] =
  tmcacheSubjects
  + pinCacheSubjects
  + pinOperationSubjects
  + yycacheSubjects
  + hybridStorageSubjects
  + imageCacheSubjects
  + modernSubjects
  + recipeSubjects
  + interlockSubjects

/// Interlock's own caches that scenarios compare with the models.
private let interlockSubjects: [SubjectEntry] = [
  .cache("task-semaphore", "a semaphore waited on for a task") { TaskSemaphoreCache() },
  .cache("actor", "an actor") { ActorCache() },
  .cache("stdlib-mutex", "Synchronization.Mutex") { LockedCache(StandardLibraryMutexLock()) },
]

/// Benches of the models.
package let knownBugBenches = [
  BenchEntry(name: "caches", summary: "what a hit costs, against a dictionary under NSLock") {
    CachesBench.run()
  },
  BenchEntry(name: "disks", summary: "SQLite against files, and a miss on a known disk") {
    try DisksBench.run()
  },
]
