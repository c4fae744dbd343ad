import Caches
import Dispatch
import InterlockStress
import KnownBugs
import LockStrategies

/// All subjects of the built-in scenarios, a list for each family.
let builtInSubjects: [SubjectEntry] =
  lockStrategySubjects
  + knownBugSubjects
  + nearMissSubjects
  + hangSubjects
  + predictSubjects
  + orderSubjects
  + detectorSubjects
  + memorySubjects

/// The same cache under different locks.
private let lockStrategySubjects: [SubjectEntry] = [
  // The four designs of the 1,000-read scenario.
  .cache("semaphore-lock", "synchronous methods under a semaphore of 1 (PINCache 2)") {
    SemaphoreLockCache(SemaphoreLock())
  },
  .cache("mutex", "synchronous methods under a POSIX mutex (YYMemoryCache)") {
    MutexCache(PthreadMutexLock())
  },
  .cache("serial-queue-sync", "sync reads, async touches on a serial queue over the shared pool") {
    SerialQueueCache(target: .global())
  },
  .cache("semaphore-over-async", "sync methods wait for async ones on a parallel queue (TMCache)") {
    SemaphoreOverAsyncCache(attributes: .concurrent)
  },

  // The same mistakes in configurations where they happen to pass.
  .cache("serial-queue-sync-private", "as serial-queue-sync, on a queue with a thread of its own") {
    SerialQueueCache(target: nil)
  },
  .cache("semaphore-over-async-serial", "as semaphore-over-async, over a serial queue") {
    SemaphoreOverAsyncCache(attributes: [])
  },

  // Other faulty designs.
  .cache("unlocked", "no lock at all") { UnlockedCache() },
  .cache("serial-queue-reentrant", "sync on a serial queue inside sync on the same queue") {
    ReentrantSerialQueueCache()
  },
  .cache("task-semaphore", "a semaphore waited on for a task") { TaskSemaphoreCache() },

  // Other correct designs.
  .cache("actor", "an actor") { ActorCache() },
  .cache("stdlib-mutex", "Synchronization.Mutex") {
    StandardLibraryMutexCache(StandardLibraryMutexLock())
  },
  .cache("reader-writer-lock", "POSIX reader-writer lock: readers together, a writer alone") {
    ReaderWriterLockCache(ReaderWriterLock())
  },
  .cache("barrier-queue", "concurrent queue: sync to read, sync with a barrier to write") {
    BarrierQueueCache(BarrierQueueLock())
  },
  .cache("serial-queue", "serial queue, entered by sync alone") {
    LockedCache(SerialQueueLock())
  },
  .cache("nslock", "NSLock") { LockedCache(FoundationLock()) },
  .cache("recursive-lock", "NSRecursiveLock (Objective-C's @synchronized)") {
    LockedCache(RecursiveFoundationLock())
  },
  .cache("spin-lock", "a flag that waiting threads spin on") { LockedCache(SpinLock()) },
]
