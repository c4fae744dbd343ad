import Caches
import Dispatch
import InterlockStress
import LockStrategies

/// All subjects of the built-in scenarios, a list for each family.
let builtInSubjects: [SubjectEntry] =
  SubjectEntry.builtIn + lockStrategySubjects

/// The same cache under different locks.
private let lockStrategySubjects: [SubjectEntry] = [
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
