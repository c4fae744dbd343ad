import LockStrategies

extension StrategyEntry {
  /// The strategies of this package: the correct ones, then the control, which only runs by name.
  public static let builtIn: [StrategyEntry] =
    [
      .lock("stdlib-mutex", "Synchronization.Mutex") { StandardLibraryMutexLock() },
      .lock("mutex", "POSIX mutex") { PthreadMutexLock() },
      .lock("nslock", "NSLock") { FoundationLock() },
      .lock("recursive-lock", "NSRecursiveLock (Objective-C's @synchronized)") {
        RecursiveFoundationLock()
      },
      .lock("reader-writer-lock", "POSIX reader-writer lock: readers together, a writer alone") {
        ReaderWriterLock()
      },
      .lock("spin-lock", "a flag that waiting threads spin on") { SpinLock() },
      .lock("semaphore-lock", "Dispatch semaphore of 1") { SemaphoreLock() },
      .lock(
        "serial-queue-sync", "sync on a serial queue over the shared pool; reads add an async block"
      ) { SerialQueueSyncLock() },
      .lock("semaphore-over-async", "async on a parallel queue; a semaphore waits for the block") {
        SemaphoreOverAsyncLock()
      },
      .lock("serial-queue", "serial queue, entered by sync alone") { SerialQueueLock() },
      .lock("barrier-queue", "concurrent queue: sync to read, sync with a barrier to write") {
        BarrierQueueLock()
      },
      StrategyEntry(
        name: "actor", summary: "an actor, awaited by tasks", runsUnlisted: true,
        makeWork: { .asynchronous(ActorTable($0)) }, makeSubject: { ActorTableSubject($0) },
        makeUsed: { UsedActor() }),
    ] + platformStrategies + [
      .lock("no-lock", "no lock at all: the control that must be refused", runsUnlisted: false) {
        NoLock()
      }
    ]
}

/// An empty actor, for measuring its size.
private actor UsedActor {}
