import Caches
import Dispatch
import LockStrategies
public import StressRunner

extension SubjectEntry {
  /// The four caches of the thousand reads.
  ///
  /// They use a semaphore as a lock, a mutex, `sync` on a serial queue over the shared pool, and a
  /// semaphore that waits for an asynchronous method.
  ///
  /// The first two complete every scenario for caches. The other two starve the pool if the pool's
  /// own threads call them:
  ///
  ///     static let subjects = SubjectEntry.builtIn + [.cache("mine", "my cache") { MyCache() }]
  public static let builtIn: [SubjectEntry] = [
    .cache("semaphore-lock", "synchronous methods under a semaphore of 1 (PINCache 2)") {
      SemaphoreLockCache(SemaphoreLock())
    },
    .cache("mutex", "synchronous methods under a POSIX mutex (YYMemoryCache)") {
      MutexCache(PthreadMutexLock())
    },
    .cache(
      "serial-queue-sync", "sync reads, async touches on a serial queue over the shared pool"
    ) {
      SerialQueueCache(target: .global())
    }.repaired(by: serialQueueRepair),
    .cache(
      "semaphore-over-async", "sync methods wait for async ones on a parallel queue (TMCache)"
    ) {
      SemaphoreOverAsyncCache(attributes: .concurrent)
    }.repaired(by: semaphoreRepair),
  ]

  /// The names of the subjects of `interlock` itself. A file shared with other executables may
  /// contain expectations for them.
  static let namesInTool = Set(
    builtIn.map(\.name) + [
      "serial-queue-sync-private", "semaphore-over-async-serial", "unlocked",
      "serial-queue-reentrant", "task-semaphore", "actor", "stdlib-mutex", "reader-writer-lock",
      "barrier-queue", "serial-queue", "nslock", "recursive-lock", "spin-lock",
    ])

  /// The lines of a read in `LockedCache`, the cache of `semaphore-lock` and `mutex`.
  private static let lockedRead = [
    "+ guard let value = lock.withSharedLock({ storage.value(forKey: key) }) else { return nil }",
    "+ lock.withLock { storage.touch(key) }",
    "+ return value",
  ]

  private static let serialQueueRepair =
    [
      "  func value(forKey key: String) -> [UInt8]? {",
      "- let value = queue.sync { storage.value(forKey: key) }",
      "- if value != nil { queue.async { self.storage.touch(key) } }",
      "- return value",
    ] + lockedRead

  private static let semaphoreRepair =
    [
      "  func value(forKey key: String) -> [UInt8]? {",
      "- waitForCallback { value(forKey: key, completion: $0) }",
    ] + lockedRead

  private func repaired(by lines: [String]) -> SubjectEntry {
    var entry = self
    entry.repair = lines
    return entry
  }
}
